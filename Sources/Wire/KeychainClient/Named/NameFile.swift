import Glibc
import KeychainModel
import LinuxSystem

/// The file at the path that a user has given a keychain. It holds no secret and opens nothing: it says which store of
/// this user is meant.
///
///     name-file = "keychain-name 1 " uuid " " label LF
///     label     = 1*255 bytes of UTF-8 without control characters
enum NameFile {
    private static let magic = "keychain-name 1 "
    private static let longestLabel = 255
    private static let longest = magic.utf8.count + 36 + 1 + longestLabel + 1

    /// A finding at a path.
    enum Content: Equatable {
        case nothing
        case name(NamedKeychain.Identifier)
        /// Something else, and why it is no name file.
        case other(String)
    }

    /// Reads the file at a path. Links are not followed: a link could lead to a file that another program chooses.
    static func content(at path: String) -> Content {
        do throws(SystemError) {
            // O_NONBLOCK, in case somebody has put a pipe there.
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
            let status = try FileStatus(of: file)
            if let reason = reason(against: status) { return .other(reason) }
            var bytes = [UInt8](repeating: 0, count: longest)
            var span = bytes.mutableSpan
            let count = try file.readFully(into: &span)
            return parse(bytes[..<count]).map { .name($0) } ?? .other("it is another file")
        } catch {
            // No file can have a longer name.
            if [ENOENT, ENOTDIR, ENAMETOOLONG].contains(error.code) { return .nothing }
            return .other(error.code == ELOOP ? "it is a link" : "\(error)")
        }
    }

    /// Removes a name file whose maker was killed before it was complete.
    ///
    /// - Throws: `SystemError` of `open`, `read` or `unlink`.
    static func removeBeginning(of keychain: NamedKeychain) throws(SystemError) {
        guard let status = try FileStatus(ofLink: keychain.path), reason(against: status) == nil else { return }
        let bytes = try AtomicFile.read(keychain.path, limit: longest)
        if text(keychain).utf8.starts(with: bytes) { try AtomicFile.remove(keychain.path) }
    }

    private static func reason(against status: FileStatus) -> String? {
        if !status.isRegularFile { return "it is not a regular file" }
        if status.owner != CurrentProcess.user { return "it belongs to user \(status.owner)" }
        if status.isWritableByOthers { return "other users may write it" }
        return status.size > longest ? "it has \(status.size) bytes, and a name file at most \(longest)" : nil
    }

    /// The identifier in a name file's bytes; nil when they are none.
    static func parse(_ bytes: some Collection<UInt8>) -> NamedKeychain.Identifier? {
        let bytes = Array(bytes)
        guard bytes.count <= longest, bytes.last == 10, let text = String(validating: bytes.dropLast(), as: UTF8.self),
            text.hasPrefix(magic), !text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 })
        else { return nil }
        let rest = text.dropFirst(magic.count)
        guard let blank = rest.firstIndex(of: " "), rest.index(after: blank) < rest.endIndex else { return nil }
        return NamedKeychain.Identifier(rest[..<blank])
    }

    /// The text of a name file.
    static func text(_ keychain: NamedKeychain) -> String {
        "\(magic)\(keychain.identifier) \(label(ofPath: keychain.path))\n"
    }

    /// The last component of the path without what only says that it is a keychain, as far as a label may have it.
    private static func label(ofPath path: String) -> String {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        for ending in ["-db", ".keychain"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
        let scalars = name.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "_" : Character($0) }
        var label = ""
        for scalar in scalars where label.utf8.count + scalar.utf8.count <= longestLabel { label.append(scalar) }
        return label.isEmpty ? "keychain" : label
    }

    /// Makes the file, which must not be there.
    ///
    /// - Throws: `SystemError`: `EEXIST` when there is something; of `open`, `write` or `fsync`, with nothing left.
    static func make(_ keychain: NamedKeychain) throws(SystemError) {
        let file = try FileDescriptor.open(keychain.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemError) {
            try file.writeFully(Array(text(keychain).utf8).span)
            guard fsync(file.number) == 0 else { throw SystemError(code: errno, call: "fsync") }
            try AtomicFile.synchronizeDirectory(of: keychain.path)
        } catch {
            unsafe unlink(keychain.path)
            throw error
        }
    }
}
