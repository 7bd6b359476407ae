import CSQLite
import Glibc
import LinuxSystem

/// One SQLite connection. It belongs to one thread at a time, which is why SQLite's own locking is off.
@safe final class Database {
    /// The processes that may open the file besides this one.
    enum Sharing: Sendable {
        /// This process alone: the write-ahead log's index stays in memory and reads need no file locks.
        case exclusive
        /// Other processes too.
        case shared

        /// The name of SQLite's own interface to the file system.
        fileprivate var interface: String { self == .exclusive ? "unix-excl" : "unix" }
    }

    private let handle: OpaquePointer
    let path: String
    /// Whether other processes may have the file open.
    let isShared: Bool
    private let statementClock = StatementClock()
    private var descriptors: OpenDescriptors
    /// How long the log is after this connection's commits; nil for one that only reads.
    private(set) var log: LogLength?
    /// When a running statement is interrupted.
    var deadline: Deadline {
        get { statementClock.deadline }
        set { statementClock.deadline = newValue }
    }

    /// Opens the file at `path`; an empty one becomes a database when it is written to.
    ///
    /// Only ``checkpoint(by:)`` makes a checkpoint. Neither a commit does, nor the last connection that closes, for
    /// SQLite makes that one while others write.
    init(path: String, sharing: Sharing) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code: Int32
        (code, descriptors) = OpenDescriptors.opened(ofDatabase: path) {
            unsafe Self.open(path, sharing, &handle)
        }
        guard code == SQLITE_OK, let opened = unsafe handle else {
            unsafe sqlite3_close_v2(handle)
            throw DatabaseError(code: code, action: "be opened")
        }
        unsafe self.handle = opened
        (self.path, isShared) = (path, sharing == .shared)
        waitForOthers(until: .never)
        let clock = unsafe Unmanaged.passUnretained(statementClock).toOpaque()
        unsafe sqlite3_progress_handler(opened, StatementClock.steps, { unsafe StatementClock.isLate($0) }, clock)
    }

    private static func open(_ path: String, _ sharing: Sharing, _ handle: inout OpaquePointer?) -> Int32 {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &handle, flags, sharing.interface)
        guard code == SQLITE_OK else { return code }
        unsafe csqlite_leave_log_on_close(handle)
        unsafe sqlite3_wal_autocheckpoint(handle, 0)
        unsafe sqlite3_busy_timeout(handle, longestWait)
        // A mapped file that somebody cuts, or whose disk has a bad block, would end the process with a signal; a read
        // says it. The second has the log opened too; what is wrong with the file is said by its first use.
        unsafe sqlite3_exec(handle, "PRAGMA mmap_size = 0; PRAGMA user_version", nil, nil, nil)
        return SQLITE_OK
    }

    /// The longest wait for another process that has the file locked: milliseconds.
    private static let longestWait = 10_000 * Int32(DebugPatience.factor)

    /// Waits no longer than this for another process that has the file locked, and never longer than ten seconds.
    func waitForOthers(until deadline: Deadline) {
        let left = deadline.remainingMilliseconds
        unsafe sqlite3_busy_timeout(handle, left < 0 ? Self.longestWait : min(left, Self.longestWait))
    }

    /// Notes how long the log is after each commit, and counts the commit.
    func noteCommits(counting changes: ChangeCount) {
        let log = LogLength(counting: changes)
        self.log = log
        let context = unsafe Unmanaged.passUnretained(log).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                unsafe LogLength.note(context, pages)
                return SQLITE_OK
            }, context)
    }

    /// Whether the descriptors of this connection still are those of its files.
    var hasItsDescriptors: Bool { descriptors.areIntact }

    /// Whether its files have the names by which they were opened.
    var hasItsFiles: Bool { descriptors.areInPlace }

    /// Whether the descriptors still are those of its files, and whether none of these has become shorter.
    func lookAtDescriptors() -> OpenDescriptors.Finding { descriptors.look() }

    /// A descriptor that has become somebody else's is not closed.
    deinit { if hasItsDescriptors { unsafe sqlite3_close_v2(handle) } }

    /// Frees the pages of the file that are in memory and not in use.
    func forgetPages() { unsafe sqlite3_db_release_memory(handle) }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String, _ action: String) throws(DatabaseError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, action) }
    }

    /// Compiles a statement that will be used many times.
    func prepare(_ sql: String, _ action: String) throws(DatabaseError) -> Statement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let prepared = unsafe statement else {
            throw DatabaseError(code: code, action: action)
        }
        return unsafe Statement(prepared, action: action, database: self)
    }

    /// Whether a transaction was begun that has not ended.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Moves the whole log into the database, both of which are on the disk when this returns true.
    ///
    /// SQLite before 3.51.3 may lose a commit that resets the log during a checkpoint (https://www.sqlite.org/wal.html,
    /// "the WAL-reset bug"). A full checkpoint holds SQLite's own lock for writers from before it looks at the log
    /// until its end. No process writes meanwhile. A checkpoint that does not get the lock in time is given up.
    ///
    /// SQLite counts the moved pages as soon as they are all of the log, after a sync. It also counts as many as a
    /// reader of an older state lets it move, without a sync. A failed sync would then be forgotten, so a checkpoint
    /// that cannot be complete is given up.
    ///
    /// - Parameter deadline: how long readers of older states are waited for.
    /// - Returns: false when it was given up; nothing counts as moved then.
    func checkpoint(by deadline: Deadline) throws(DatabaseError) -> Bool {
        let timeout = unsafe CheckpointTimeout(handle, deadline)
        let context = unsafe Unmanaged.passUnretained(timeout).toOpaque()
        defer { withExtendedLifetime(timeout) {} }
        _ = unsafe sqlite3_busy_handler(handle, { context, _ in unsafe CheckpointTimeout.waits(context) }, context)
        defer { waitForOthers(until: .never) }
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, nil, nil)
        switch code & 0xFF {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT: return false
        default: throw error(code, "be tidied up", isCheckpoint: true)
        }
    }

    /// Moves the whole log into the database and empties it. No other connection is open, in this or any other process.
    func putLogAway() throws(DatabaseError) {
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        if code != SQLITE_OK { throw error(code, "be tidied up", isCheckpoint: true) }
    }

    /// The result of the last call. Only a checkpoint writes to the database itself; everything else writes to the log.
    func error(_ code: Int32, _ action: String, isCheckpoint: Bool = false) -> DatabaseError {
        let isWrite = code == DatabaseError.failed(.write)
        let ofWrite = isWrite ? unsafe csqlite_write_errno(handle, isCheckpoint ? 0 : 1) : 0
        return DatabaseError(
            code: code, action: action, systemError: ofWrite == 0 ? unsafe sqlite3_system_errno(handle) : ofWrite)
    }

    /// Runs `body` in a transaction that is rolled back when it throws.
    func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
        try execute("BEGIN IMMEDIATE", "begin a change")
        do {
            let result = try body()
            try execute("COMMIT", "keep a change")
            return result
        } catch {
            try? execute("ROLLBACK", "undo a change")
            throw error
        }
    }

    /// How many rows it has written since it was opened.
    var rowsWritten: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The number of the row that was added last.
    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// The first column of the first row, for questions with one answer.
    func integer(_ sql: String, _ action: String) throws(DatabaseError) -> Int64? {
        let statement = try prepare(sql, action)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// Copies the whole database into a new file, consistent even while it is being changed.
    func snapshot(to path: String) throws(DatabaseError) {
        let statement = try prepare("VACUUM INTO ?", "write a snapshot")
        try statement.bind(text: path, at: 1)
        _ = try statement.step()
    }
}
