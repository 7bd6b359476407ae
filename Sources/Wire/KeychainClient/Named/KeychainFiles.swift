import LinuxSystem

/// The files that a keychain makes in its folder. The folder may be one that other programs use too, such as a job's
/// working directory: a deletion names these and nothing else.
enum KeychainFiles {
    private static let database = "keychain.db"
    private static let names: Set<String> = [
        database, database + "-wal", database + "-shm", database + "-journal", database + "-reserve",
        database + "-wal.damaged", "keychain.lock", "keychain.made", "keychain.moved", "keychaind.link", "vault",
        "vault.lock",
    ]
    private static let copyEndings = [".snapshot", ".snapshot.unfinished", ".snapshot.unfinished-journal"]

    /// Whether a name is that of a keychain's file, of a copy of its database, or of a file that was to replace one.
    static func isOwn(_ name: String) -> Bool {
        names.contains(name) || isCopy(name) || names.contains { AtomicFile.isReplacement(name, of: $0) }
    }

    /// `keychain.db.YYYYMMDDTHHMMSSZ.snapshot`, `keychain.db.vN.SECONDS.snapshot`, and what a crash has left of one.
    private static func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(database + "."), let ending = copyEndings.first(where: name.hasSuffix) else { return false }
        let moment = name.utf8.dropFirst(database.utf8.count + 1).dropLast(ending.utf8.count)
        return !moment.isEmpty && moment.allSatisfy { Self.inMoments.contains($0) }
    }

    private static let inMoments = Set("0123456789TZv.".utf8)
}
