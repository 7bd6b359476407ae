/// How many pages the write-ahead log has after a commit of one connection. Belongs to one thread at a time.
final class LogLength {
    private(set) var pages = 0
    /// Where changes are counted for those who read.
    let changes: ChangeCount

    init(counting changes: ChangeCount) { self.changes = changes }

    /// All of the log is in the database: the next commit begins it again.
    func noteCheckpoint() { pages = 0 }

    /// What SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        let log = unsafe Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue()
        log.pages = Int(pages)
        log.changes.raise()
    }
}
