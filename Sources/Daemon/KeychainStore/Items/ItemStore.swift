import Glibc
package import KeychainModel
package import LinuxSystem

/// The file with the sealed items, and how its connections are made.
///
/// A store that does not open is never replaced: whoever opens it says whether it may be created, and a damaged file stays
/// where it is.
package struct ItemStore: Sendable {
    /// The folder the store lies in.
    package let folder: String
    /// Whether other processes may use the store at the same time.
    package let isShared: Bool

    /// Holds the store for as long as somebody uses it: a daemon alone, embedded processes together.
    private let lock: FileLock
    /// What this process does to the store.
    private let changes = ChangeCount()

    /// The name of the database in the folder.
    package static let fileName = "keychain.db"

    /// Whether a store has been made in the folder.
    package static func exists(in folder: String) -> Bool {
        exists(at: "\(folder)/\(fileName)") || exists(at: "\(folder)/keychain.made")
    }

    /// Opens the store in `folder`, creating or migrating it.
    ///
    /// A daemon that finds embedded processes in the store shares it with them.
    ///
    /// - Throws: `errSecNotAvailable` when another process owns the store, when it is damaged or of a newer release.
    package init(folder: String, prefersExclusive: Bool) throws(Refusal) {
        self.folder = folder
        (lock, isShared) = try Self.lock(folder, exclusive: prefersExclusive)
        try prepare()
    }

    var path: String { "\(folder)/\(Self.fileName)" }
    private var sharing: Database.Sharing { isShared ? .shared : .exclusive }

    /// A connection for one reading thread.
    ///
    /// - Parameter holdsSnapshot: whether it may hold what it sees from one read to the next, which it has to be told the end of
    ///   (``StoreReader/rest()``).
    package func makeReader(indexKey: SecretBytes, holdsSnapshot: Bool = false) throws(Refusal) -> StoreReader {
        let (database, snapshot) = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            let mapped = Self.mappedBytes(isShared: isShared)
            try database.execute("PRAGMA query_only = ON; PRAGMA mmap_size = \(mapped)", "be read")
            let snapshot = holdsSnapshot ? try HeldSnapshot(of: database, while: changes, isShared: isShared) : nil
            return (database, snapshot)
        }
        return StoreReader(database, digester: try AttributeDigester(indexKey), holding: snapshot)
    }

    /// How much of the file is mapped for reading, in bytes. Processes that share a store map all of one that is not enormous:
    /// the system has its pages once for all of them. A daemon maps as much as leaves it small.
    package static func mappedBytes(isShared: Bool) -> Int { isShared ? 256 << 20 : 16 << 20 }

    /// The connection that writes; there is one at a time in a process.
    package func makeWriter(indexKey: SecretBytes) throws(Refusal) -> StoreWriter {
        let database = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA synchronous = FULL", "be written")
            if !isShared { database.leaveLog(in: WriteAheadLog(besides: path), counting: changes) }
            return database
        }
        return StoreWriter(database, digester: try AttributeDigester(indexKey))
    }

    /// What moves the log beside the writer; for a store that nobody else uses.
    package func makeLogMover() -> LogMover { LogMover(of: path, sharing: sharing, counting: changes) }

    /// Makes the file when there has never been one, and brings it up to date.
    private func prepare() throws(Refusal) {
        let wasMade = Self.exists(at: madePath)
        if wasMade, !Self.exists(at: path) { throw Self.lost(path) }
        try Self.storing { () throws(SystemError) in try Self.makePrivateFile(path) }
        let database = try refusing { () throws(DatabaseError) in try Database(path: path, sharing: sharing) }
        let migrations = Migrations(database: database, path: path)
        if wasMade, try migrations.isEmpty() { throw Self.lost(path) }
        try refusing { () throws(DatabaseError) in
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "be opened")
        }
        try migrations.run()
        if !wasMade { try markAsMade() }
    }

    /// Says that the store has been made once: from then on a missing or empty file is a loss, not a beginning.
    private var madePath: String { "\(folder)/keychain.made" }

    private func markAsMade() throws(Refusal) {
        let text = Array("This folder has had a keychain; if keychain.db is missing, it was lost.\n".utf8)
        try Self.storing { () throws(SystemError) in try AtomicFile.replace(madePath, with: text.span) }
    }

    private static func exists(at path: String) -> Bool { (try? FileStatus(at: path)) != nil }

    /// Makes an empty file for its owner alone, unless there is one. Nothing is opened: where this process uses the store already,
    /// to close the file would take SQLite's locks on it away (fcntl(2)), and another process might put the log away as the last.
    private static func makePrivateFile(_ path: String) throws(SystemError) {
        guard unsafe mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
            throw SystemError(code: errno, call: "mknod", advice: path)
        }
    }

    private static func lost(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store \(path) is gone or has been emptied; nothing was put in its place.",
            do: "Restore the file, or a snapshot beside it. To begin anew, remove the whole folder.")
    }

    private static func lock(_ folder: String, exclusive: Bool) throws(Refusal) -> (FileLock, Bool) {
        try storing { () throws(SystemError) in
            try PrivateDirectory.ensure(folder)
            let path = "\(folder)/keychain.lock"
            if exclusive, let lock = try? FileLock(path, .exclusive, deadline: .now) { return (lock, false) }
            return (try FileLock(path, .shared, deadline: .now), true)
        }
    }

    /// Runs what may fail in the file system and turns its error into the caller's.
    private static func storing<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw Refusal(
                .notAvailable, .unavailable, "store", "The store cannot be used: \(error).",
                do:
                    "If a daemon owns it, connect to that daemon (KEYCHAIN_SOCKET); else check the folder's permissions."
            )
        }
    }
}
