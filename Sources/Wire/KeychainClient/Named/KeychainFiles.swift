import LinuxSystem

/// The files that a keychain makes in its folder. The folder may be one that other programs use too, such as a job's
/// working directory: a deletion names these and nothing else.
enum KeychainFiles {
    private static let database = "keychain.db"
    private static let ofNew: Set<String> = [
        database, database + "-wal", database + "-shm", database + "-journal", database + "-reserve",
        "keychain.lock", "keychain.made", "keychaind.link", "vault", "vault.lock",
    ]
    private static let names = ofNew.union([
        database + "-wal.damaged", "keychain.moved", "keychain.backups", "keychain.circle", "carrier.lock",
    ])

    /// Whether a name is that of a keychain's file, of a copy of its database, or of a file that was to replace one.
    static func isOwn(_ name: String) -> Bool {
        names.contains(name) || isCopy(name) || names.contains { AtomicFile.isReplacement(name, of: $0) }
    }

    /// Whether a keychain may have the file before anything was done with it.
    static func isOfNew(_ name: String) -> Bool {
        ofNew.contains(name) || ofNew.contains { AtomicFile.isReplacement(name, of: $0) }
    }

    /// Whether the folder of a named keychain has the file before its daemon has made any.
    static func isBeforeTheFirst(_ name: String) -> Bool {
        ["name", "keychaind.sock", "keychaind.sock.lock", "keychaind.log"].contains(name)
            || AtomicFile.isReplacement(name, of: "name")
    }

    /// `keychain.db.YYYYMMDDTHHMMSSZ.snapshot`, `keychain.db.vN.SECONDS.snapshot`, and what a crash has left of one:
    /// `.PROCESS.unfinished` behind it, and its journal.
    private static func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(database + ".") else { return false }
        var parts = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst(2)
        if let last = parts.last, ["unfinished", "unfinished-journal"].contains(last) { parts = parts.dropLast(2) }
        guard parts.last == "snapshot", parts.count == 2 || parts.count == 3 else { return false }
        return parts.dropLast().allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(inMoments.contains) }
    }

    private static let inMoments = Set("0123456789TZv".utf8)
}
