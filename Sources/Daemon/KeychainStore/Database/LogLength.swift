import LinuxSystem

/// How many pages the write-ahead log has after a commit of one connection. Belongs to one thread at a time.
final class LogLength {
    /// From so many pages on a checkpoint is due: SQLite's own default.
    static let due = 1000

    /// Whether the log of a database is so long that a checkpoint is due. Programs that make one change each make no
    /// checkpoint: the log that such programs have left never counts as their own commit's.
    static func isLong(besides path: String) -> Bool {
        ((try? FileStatus(at: "\(path)-wal"))?.size ?? 0) > due << 12
    }

    private var pages = 0
    private var nextDue = due
    /// Where changes are counted for those who read.
    let changes: ChangeCount

    init(counting changes: ChangeCount) { self.changes = changes }

    /// Whether it is time for a checkpoint.
    var isDue: Bool { pages >= nextDue }

    /// After a complete checkpoint the next commit begins the log again, unless somebody reads it. Until it begins
    /// again, and after a checkpoint that was given up, the next one is due when the log has grown by as much as makes
    /// one due: who reads all the time does not hold up every write.
    func noteCheckpoint(isComplete: Bool) { nextDue = pages + Self.due }

    /// The handler that SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        let log = unsafe Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
        if pages < log.pages { log.nextDue = due }
        log.pages = Int(pages)
        log.changes.raise()
    }
}
