import CSQLite
import CSQLiteLog
import LinuxSystem

/// One SQLite connection. It belongs to one thread at a time, which is why SQLite's own locking is off.
@safe final class Database {
    /// Who else may open the file.
    enum Sharing: Sendable {
        /// This process alone: the write-ahead log's index stays in memory and reads need no file locks.
        case exclusive
        /// Other processes too.
        case shared

        /// How SQLite is to use the files: as it does, but each commit goes into the log in one piece.
        fileprivate var files: String { self == .exclusive ? CSQLITE_EXCLUSIVE : CSQLITE_SHARED }
    }

    private static let areLogsGathered = csqlite_offer_gathered_logs() == SQLITE_OK

    private let handle: OpaquePointer
    private let process = CurrentProcess.identifier
    private let statementClock = StatementClock()
    /// What is in the log; nothing for a connection that tidies up by itself.
    private(set) var log: LogGauge?
    /// When a running statement is interrupted.
    var deadline: Deadline {
        get { statementClock.deadline }
        set { statementClock.deadline = newValue }
    }

    /// Opens the file at `path`; an empty one becomes a database when it is written to.
    init(path: String, sharing: Sharing) throws(DatabaseError) {
        guard Self.areLogsGathered else { throw DatabaseError(code: SQLITE_MISUSE, action: "be opened") }
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &handle, flags, sharing.files)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            unsafe sqlite3_close_v2(handle)
            throw DatabaseError(code: code, action: "be opened")
        }
        unsafe self.handle = opened
        waitForOthers(until: .never)
        let clock = unsafe Unmanaged.passUnretained(statementClock).toOpaque()
        unsafe sqlite3_progress_handler(opened, StatementClock.steps, { unsafe StatementClock.isLate($0) }, clock)
    }

    /// Waits no longer than this for another process that has the file locked, and never longer than ten seconds.
    func waitForOthers(until deadline: Deadline) {
        let left = deadline.remainingMilliseconds
        unsafe sqlite3_busy_timeout(handle, left < 0 ? 10_000 : min(left, 10_000))
    }

    /// Leaves it to the caller to move the log into the database; SQLite does so by itself otherwise. Every change of this
    /// connection is counted.
    func leaveLog(in file: WriteAheadLog, counting changes: ChangeCount) {
        let log = LogGauge(of: file, counting: changes)
        self.log = log
        let gauge = unsafe Unmanaged.passUnretained(log).toOpaque()
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                unsafe LogGauge.note(context, pages)
                return SQLITE_OK
            }, gauge)
    }

    deinit {
        // In a forked child this is its parent's connection: to be let go of, not to tidy up with.
        if CurrentProcess.identifier != process { unsafe csqlite_leave_log_on_close(handle) }
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String, _ action: String) throws(DatabaseError) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, action: action) }
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

    /// Where other processes' commits are seen; nil for a connection that has not read in the log, or has it for itself.
    func sharedLog() -> SharedLog? { unsafe csqlite_shared_head(handle).map { unsafe SharedLog(head: $0, of: self) } }

    /// Moves what is in the log into the database, as far as readers allow.
    func moveLog() throws(DatabaseError) { try execute("PRAGMA wal_checkpoint(PASSIVE)", "be tidied up") }

    /// Has the disk keep what was moved so far. SQLite does so by itself when it has moved all of a log.
    func makeDurable() throws(DatabaseError) {
        let code = unsafe csqlite_make_durable(handle)
        guard code == SQLITE_OK else { throw DatabaseError(code: code, action: "be tidied up") }
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

    /// The first column of the first row, for questions with one answer.
    func integer(_ sql: String, _ action: String) throws(DatabaseError) -> Int64? {
        let statement = try prepare(sql, action)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The row number of the last insertion.
    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Copies the whole database into a new file, consistent even while it is being changed.
    func snapshot(to path: String) throws(DatabaseError) {
        let statement = try prepare("VACUUM INTO ?", "write a snapshot")
        try statement.bind(text: path, at: 1)
        _ = try statement.step()
    }
}
