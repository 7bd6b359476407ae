import Glibc
import KeychainCrypto
import LinuxSystem

/// A digest of the enrolled fingers, as far as they can be read from outside: 32 bytes that change with the enrolment.
///
/// It always has the reader's name and kind, the user, and the names of the user's fingers. Where this process may read
/// fprintd's store, it also has the files of the prints and their times. A user's own agent usually may not. Then one
/// change stays unseen: a finger is deleted, and another one is enrolled under the same name before the next look.
struct Enrolment {
    var reader: String
    var scanType: String
    var user: String
    var fingers: [String]
    var prints: [Print]

    /// A file of fprintd's store.
    struct Print: Comparable {
        let path: String
        let inode: UInt64
        let size: Int
        let changed: Int64

        static func < (left: Print, right: Print) -> Bool { left.path < right.path }
    }

    /// SHA-256 over everything, each part with its length before it, in an order that is always the same.
    var digest: [UInt8] {
        let content = SecretBuffer()
        for text in ["swift-keychain enrolment 1", reader, scanType, user] { Self.append(text, to: content) }
        content.append(littleEndian: UInt32(truncatingIfNeeded: fingers.count))
        for finger in fingers.sorted() { Self.append(finger, to: content) }
        for print in prints.sorted() {
            Self.append(print.path, to: content)
            content.append(littleEndian: print.inode)
            content.append(littleEndian: Int64(print.size))
            content.append(littleEndian: print.changed)
        }
        return content.withSpan { span in
            guard let digest = try? Digest.sha256(span) else { return [] }
            return digest.span.array(0, 32)
        }
    }

    private static func append(_ text: String, to content: SecretBuffer) {
        let bytes = Array(text.utf8)
        content.append(littleEndian: UInt32(truncatingIfNeeded: bytes.count))
        content.append(bytes.span)
    }

    /// The user's files in fprintd's store, as far as they can be seen.
    static func storedPrints(of user: String, in store: String = "/var/lib/fprint") -> [Print] {
        if user.isEmpty || user.contains("/") || user.hasPrefix(".") { return [] }
        return prints(below: "\(store)/\(user)", depth: 4)
    }

    private static func prints(below folder: String, depth: Int) -> [Print] {
        guard depth > 0, let names = try? FolderEntries.names(in: folder) else { return [] }
        var prints: [Print] = []
        for name in names where !name.hasPrefix(".") {
            let path = "\(folder)/\(name)"
            guard let status = try? FileStatus(ofLink: path) else { continue }
            if status.isDirectory {
                prints += Self.prints(below: path, depth: depth - 1)
            } else if let changed = try? FileStatus.changeTime(at: path) {
                prints.append(Print(path: path, inode: status.inode, size: status.size, changed: changed))
            }
        }
        return prints
    }
}
