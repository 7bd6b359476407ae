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

    /// The name of the database in the folder.
    package static let fileName = "keychain.db"

    /// Whether a store has been made in the folder.
    package static func exists(in folder: String) -> Bool { (try? FileStatus(at: "\(folder)/\(fileName)")) != nil }

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
    package func makeReader(indexKey: SecretBytes) throws(Refusal) -> StoreReader {
        let database = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA query_only = ON; PRAGMA mmap_size = 268435456", "be read")
            return database
        }
        return StoreReader(database, digester: try AttributeDigester(indexKey))
    }

    /// The connection that writes; there is one at a time in a process.
    package func makeWriter(indexKey: SecretBytes) throws(Refusal) -> StoreWriter {
        let database = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA synchronous = FULL", "be written")
            if !isShared { try database.execute("PRAGMA wal_autocheckpoint = 0", "be written") }
            return database
        }
        return StoreWriter(database, digester: try AttributeDigester(indexKey))
    }

    private func prepare() throws(Refusal) {
        let database = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing, create: true)
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "be opened")
            return database
        }
        try Migrations(database: database, path: path).run()
    }

    private static func lock(_ folder: String, exclusive: Bool) throws(Refusal) -> (FileLock, Bool) {
        do throws(SystemError) {
            try PrivateDirectory.ensure(folder)
            let path = "\(folder)/keychain.lock"
            if exclusive, let lock = try? FileLock(path, .exclusive, deadline: .now) { return (lock, false) }
            return (try FileLock(path, .shared, deadline: .now), true)
        } catch {
            throw Refusal(
                .notAvailable, .unavailable, "store", "The store in \(folder) cannot be used: \(error).",
                do:
                    "If a daemon owns it, connect to that daemon (KEYCHAIN_SOCKET); else check the folder's permissions."
            )
        }
    }
}
