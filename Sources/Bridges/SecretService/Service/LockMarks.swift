import Glibc
import KeychainCrypto
import LinuxSystem

/// The file with the marks of what clients have locked: a bridge that ends, however it ends, comes back with them.
///
/// No two unlocks of the keychain have the same number. So marks that are older than the last unlock mean nothing, and
/// neither do those of an earlier session.
struct LockMarks: Sendable {
    /// Nil where a session has no folder of its own; then the marks end with the bridge.
    let path: String?

    private static let longest = 1 << 20

    init(path: String?) { self.path = path }

    /// The file of a bridge on a bus; the secrets of each owner have one.
    init(bus address: String, of owner: SecretsOwner = .outside) {
        let text = owner == .outside ? address : "\(address)\n\(owner.group)"
        let name = (try? Digest.sha256(Array(text.utf8).span)).map { hexadecimal($0.span.array(0, 8)) }
        path = if let name, let folder = RuntimeFolder.path { "\(folder)/keychain-secrets-\(name).locks" } else { nil }
    }

    /// The collections, each with the keychain's last unlock before its lock.
    func read() -> [String: UInt64] {
        guard let path, let bytes = try? AtomicFile.read(path, limit: Self.longest) else { return [:] }
        var marks: [String: UInt64] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, let number = UInt64(words[1]) { marks[String(words[0])] = number }
        }
        return marks
    }

    /// Marks that cannot be written end with the bridge.
    func write(_ marks: [String: UInt64]) {
        guard let path else { return }
        if marks.isEmpty { return (try? AtomicFile.remove(path)) ?? () }
        let text = marks.map { "\($0.key) \($0.value)\n" }.sorted().joined()
        try? AtomicFile.replace(path, with: Array(text.utf8).span)
    }
}

/// The folder that the user has for this session.
enum RuntimeFolder {
    static var path: String? {
        let usual = "/run/user/\(getuid())"
        let named = CurrentProcess.isMarked ? nil : unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        return [named, usual].compactMap { $0 }.first { (try? FileStatus(at: $0))?.isDirectory == true }
    }
}
