import Glibc
package import KeychainModel
package import LinuxSystem

/// The file with the sealed items, and how its connections are made.
///
/// A store that does not open is never replaced: the opening code says whether it may be created, and a damaged file
/// stays where it is.
package struct ItemStore: Sendable {
    /// The folder the store lies in.
    package let folder: String
    /// Whether other processes may use the store at the same time.
    package let isShared: Bool

    /// Holds the store for as long as somebody uses it: a daemon alone, embedded processes together.
    private let lock: FileLock
    private let opening: Opening
    /// This process's use of the store.
    let changes = ChangeCount()
    /// Which items this process has changed.
    package let changeLog = ChangeLog()
    /// And the groups of these.
    package let groupNumbers = GroupNumbers()
    /// Which rows are not as they were written.
    package let damage = DamageReport()
    let trust = PairTrust()
    /// Why this process no longer uses the store.
    package let failure = StoreFailure()

    /// Whether a store has been made in the folder.
    package static func exists(in folder: String) -> Bool {
        exists(at: path(in: folder)) || exists(at: madePath(in: folder))
    }

    /// Opens the store in `folder`, creating or migrating it.
    ///
    /// A daemon that finds embedded processes in the store shares it with them.
    ///
    /// - Parameters:
    ///   - makesFolder: whether a missing folder is made. A daemon has made or found its folder before: one that was
    ///     deleted since must not come back.
    ///   - deadline: until when another process that brings the store up to date is waited for.
    ///   - timeout: for how long any other, before it is said to own the store: milliseconds.
    /// - Throws: `errSecNotAvailable` when another process owns the store, when it is damaged or of a newer release.
    package init(
        folder: String, prefersExclusive: Bool, makesFolder: Bool = true,
        by deadline: Deadline = .after(milliseconds: longestMigration), timeout: Int = timeout
    ) throws(Refusal) {
        self.folder = folder
        opening = Opening(deadline: deadline, timeout: timeout)
        try storing { () throws(SystemError) in
            if makesFolder { try PrivateDirectory.make(folder) }
            try PrivateDirectory.check(folder)
        }
        try LocalFileSystem.require(folder)
        if try Self.hasLink(Self.path(in: folder)) { throw Self.linked(Self.path(in: folder)) }
        (lock, isShared) = try Self.lock(folder, exclusive: prefersExclusive, opening)
        try Self.prepareOnFullDisk(folder, isShared: isShared)
    }

    /// A new index of the log takes space. On a full disk it takes the reserve that is kept for deletions.
    private static func prepareOnFullDisk(_ folder: String, isShared: Bool) throws(Refusal) {
        do throws(Refusal) { try prepare(folder, isShared: isShared) } catch {
            guard [.io, .diskFull].contains(error.status), SpaceReserve.take(besides: path(in: folder)) else {
                throw error
            }
            try prepare(folder, isShared: isShared)
        }
    }

    var path: String { Self.path(in: folder) }
    private static func path(in folder: String) -> String { "\(folder)/\(StoreFile.name)" }
    var sharing: Database.Sharing { isShared ? .shared : .exclusive }

    /// Ends the use of the store by this process.
    package func fail(_ refusal: Refusal) -> Refusal {
        failure.note(refusal)
        return refusal
    }

    /// Why the store is not to be used by this process: it no longer has the lock on it.
    package var failureOfUse: Refusal? {
        if !hasItsDescriptor { return .descriptorsClosed(path) }
        return lock.hasItsFile ? nil : .storeMoved(path)
    }

    /// Whether the descriptor of its lock is still its own.
    package var hasItsDescriptor: Bool { lock.hasItsDescriptor }

    /// A connection for one reading thread.
    ///
    /// - Parameter holdsSnapshot: whether it may hold what it sees from one read to the next, which it has to be told
    ///   the end of (``StoreReader/rest()``). Where other processes write too it does not.
    /// - Throws: why the store is no longer used, too: a store that was cut is not opened again.
    package func makeReader(indexKey: SecretBytes, holdsSnapshot: Bool = false) throws(Refusal) -> StoreReader {
        try failure.check()
        let (database, snapshot) = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA query_only = ON", "be read")
            let snapshot = holdsSnapshot && !isShared ? try ReadTransaction(of: database, while: changes) : nil
            return (database, snapshot)
        }
        return StoreReader(
            database, digester: try AttributeDigester(indexKey), reporting: damage, trusting: trust,
            holding: snapshot)
    }

    /// A connection to a copy of the store as it is now, for who reads it for longer than a checkpoint may wait. The
    /// copy has lost its name, and ends with the connection.
    ///
    /// - Throws: `errSecDiskFull` where there is no space for it; `keychain.deadline`; what else the disk says.
    package func makeCopyReader(indexKey: SecretBytes, by deadline: Deadline) throws(Refusal) -> StoreReader {
        try failure.check()
        let source = try refusing { () throws(DatabaseError) in try Database(path: path, sharing: sharing) }
        source.deadline = deadline
        let copy = try StoreCopy.open(of: source, besides: path)
        return StoreReader(copy, digester: try AttributeDigester(indexKey), reporting: damage, trusting: trust)
    }

    /// Brings a store up to date as far as that takes the index key; to be called before connections are made.
    ///
    /// - Parameter timeout: how long other programs may take to do it themselves: milliseconds.
    /// - Throws: `errSecNotAvailable` while a program with an older release uses the store, whose statements would
    ///   fail.
    package func migrate(with indexKey: SecretBytes, timeout: Int = 10_000) throws(Refusal) {
        let migrations = try Migrations(database: open(), path: path, isAlone: true)
        guard try migrations.needsKey() else { return }
        try alone(by: .after(milliseconds: timeout), while: { () throws(Refusal) in try migrations.needsKey() }) {
            () throws(Refusal) in
            let (database, digester) = (migrations.database, try AttributeDigester(indexKey))
            try migrations.withCopy { () throws(Refusal) in
                try ColumnMigration(database: database, digester: digester).run()
                try TombstoneMigration(database: database, digester: digester).run()
                try RenameMigration(database: database).run()
            }
        }
    }

    private func open() throws(Refusal) -> Database {
        try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA synchronous = FULL", "be opened")
            return database
        }
    }

    /// Runs something while no other process uses the store, unless another has done it first.
    ///
    /// Others may wait for the same, so that the lock is given up between the tries; a try for the exclusive one gives
    /// up the shared one anyhow (flock(2)).
    private func alone(
        by deadline: Deadline, while isNeeded: () throws(Refusal) -> Bool, _ body: () throws(Refusal) -> Void
    ) throws(Refusal) {
        guard isShared else { return try body() }
        while try isNeeded() {
            if (try? lock.take(.exclusive, by: .now)) != nil {
                let result = Result { () throws(Refusal) in try isNeeded() ? marked(body) : () }
                try share()
                return try result.get()
            }
            lock.release()
            usleep(UInt32.random(in: 1000...20_000))
            try share()
            if deadline.hasPassed, try isNeeded() { throw Self.inUse(path) }
        }
    }

    /// Runs something that may take long, and has those know who wait for the lock meanwhile.
    private func marked(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        try storing { () throws(SystemError) in try lock.mark() }
        defer { lock.unmark() }
        try body()
    }

    /// How long to wait for processes that have the lock for themselves.
    private struct Opening: Sendable {
        /// For who brings the store up to date.
        let deadline: Deadline
        /// For anybody else: milliseconds.
        let timeout: Int
    }

    private func share() throws(Refusal) { try Self.share(lock, path, opening) }

    /// Takes the lock together with others.
    private static func share(_ lock: FileLock, _ path: String, _ opening: Opening) throws(Refusal) {
        while true {
            let isMigrated = lock.isMarked
            let turn = Deadline.after(milliseconds: opening.timeout)
            do throws(SystemError) {
                return try lock.take(.shared, by: isMigrated ? min(turn, opening.deadline) : turn)
            } catch {
                guard error.code == ETIMEDOUT, isMigrated || lock.isMarked else {
                    return try storing { () throws(SystemError) in throw error }
                }
                if opening.deadline.hasPassed { throw beingMigrated(path) }
            }
        }
    }

    private static func beingMigrated(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "store",
            "Another program is bringing the store \(path) up to date, which takes longer than this call may.",
            do: "Try again in a minute; nothing has been changed, and the other program goes on.")
    }

    private static func inUse(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "store",
            "The store \(path) has to be brought up to date, and other programs use it.",
            do: "End the programs that use the keychain with an older release, then try again.")
    }

    /// The connection that writes; there is one at a time in a process.
    ///
    /// It keeps the pages of a change in memory until the commit. SQLite may otherwise write some of them into the log
    /// before, and then go back to a savepoint or to the begin of a statement. It may then commit frames whose
    /// checksums do not continue. All goes well until the log is read after a crash, which loses that commit and all
    /// after it (seen with 3.40.1; `SpillTests`).
    package func makeWriter(indexKey: SecretBytes) throws(Refusal) -> StoreWriter {
        let database = try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute(
                "PRAGMA synchronous = FULL; PRAGMA cache_spill = OFF; PRAGMA secure_delete = ON", "be written")
            database.noteCommits(counting: changes)
            return database
        }
        let writer = try StoreWriter(database, of: self, digester: try AttributeDigester(indexKey))
        try writer.makeLaterTables()
        return writer
    }

    /// Makes the file when there has never been one, and brings it up to date.
    private static func prepare(_ folder: String, isShared: Bool) throws(Refusal) {
        let (path, made) = (path(in: folder), madePath(in: folder))
        let wasMade = exists(at: made)
        if wasMade, !exists(at: path) { throw lost(path) }
        if wasMade, try hasJournal(path) { throw journaled(path) }
        try storing { () throws(SystemError) in try StoreFile.makePrivate(path) }
        let database = try refusing { () throws(DatabaseError) in
            try Database(path: path, sharing: isShared ? .shared : .exclusive)
        }
        let migrations = Migrations(database: database, path: path, isAlone: !isShared)
        if wasMade, try migrations.isEmpty() { throw lost(path) }
        try refusing { () throws(DatabaseError) in try database.beginLog() }
        try migrations.run()
        if !wasMade { try markAsMade(made) }
    }

    /// Says that the store has been made once: from then on a missing or empty file is a loss, not a beginning.
    private static func madePath(in folder: String) -> String { "\(folder)/keychain.made" }

    private static func markAsMade(_ path: String) throws(Refusal) {
        let text = Array("This folder has had a keychain; if keychain.db is missing, it was lost.\n".utf8)
        try storing { () throws(SystemError) in try AtomicFile.replace(path, with: text.span) }
    }

    private static func exists(at path: String) -> Bool { (try? FileStatus(at: path)) != nil }

    /// Whether the store has a rollback journal. A store with a log has none: SQLite would write the journal's content
    /// into the store.
    private static func hasJournal(_ path: String) throws(Refusal) -> Bool {
        try storing { () throws(SystemError) in try FileStatus(ofLink: "\(path)-journal") != nil }
    }

    private static func journaled(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "There is a rollback journal, \(path)-journal, which is none of the keychain's; the store was left alone.",
            do: "Find out who put it there, and move it away.")
    }

    /// Whether one of its names leads elsewhere, where nobody's lock keeps others from the files.
    private static func hasLink(_ path: String) throws(Refusal) -> Bool {
        try storing { () throws(SystemError) in
            for suffix in ["", "-wal", "-shm"] {
                if let found = try FileStatus(ofLink: path + suffix), !found.isRegularFile { return true }
            }
            return false
        }
    }

    private static func linked(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "\(path), or its -wal or -shm file, is a link or no file at all; the store was left alone.",
            do: "Put the files themselves there; for another folder, set KEYCHAIN_HOME.")
    }

    private static func lost(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store \(path) is gone or has been emptied; nothing was put in its place.",
            do: "Put the file back, or \(StoreFile.restoringSnapshot). To start again, remove the whole folder.")
    }

    /// How long to wait for a process that opens the store, before somebody else is said to own it: milliseconds.
    package static let timeout = 3000 * DebugPatience.factor
    /// How long to wait for a process that brings the store up to date, where nobody says for how long: milliseconds.
    package static let longestMigration = 60_000

    /// Takes the lock of a store. The first process that does has the disk keep the log that others left.
    private static func lock(
        _ folder: String, exclusive: Bool, _ opening: Opening
    ) throws(Refusal) -> (FileLock, Bool) {
        let lock = try storing { () throws(SystemError) in try FileLock("\(folder)/keychain.lock") }
        let isAlone = (try? lock.take(.exclusive, by: .now)) != nil
        if isAlone { try takeOverLog(folder) }
        if isAlone, exclusive { return (lock, false) }
        try share(lock, path(in: folder), opening)
        return (lock, true)
    }

    /// Looks at the log that others left, has the disk keep it, and puts it away where it is long. The caller is alone.
    private static func takeOverLog(_ folder: String) throws(Refusal) {
        let path = path(in: folder)
        try storing { () throws(SystemError) in
            try DamagedLog.keep(of: path)
            try LogOnDisk.ensure(of: path, isNew: !exists(at: madePath(in: folder)))
        }
        guard try !hasJournal(path), LogLength.isLong(besides: path) else { return }
        do throws(DatabaseError) { try Database(path: path, sharing: .exclusive).putLogAway() } catch {
            // A log that is long is no reason to refuse, nor is what the next use will say.
            if error.isFailureOfDisk { throw error.refusal }
        }
    }
}
