/// How full the write-ahead log is. Belongs to one connection, and with it to one thread at a time.
///
/// A log that was moved into the database begins anew with the next commit, unless somebody reads in it just then, or did when
/// it was moved; it is tidied up again then before it has grown much.
final class LogGauge {
    /// The log is about to need more room than it has from the beginning.
    private static let usual = WriteAheadLog.pages - step
    private static let step = WriteAheadLog.pages / 8

    private var pages = 0
    private var most = usual
    /// Where changes are counted for those who read.
    var changes: ChangeCount?

    /// Whether it is time to move the log into the database.
    var isNearlyFull: Bool { pages > most }

    /// The log has so many pages after a commit.
    func note(_ pages: Int) {
        if pages < self.pages { most = Self.usual }
        self.pages = pages
        changes?.raise()
    }

    /// The log was moved into the database, as far as readers allowed.
    func noteCheckpoint() { most = max(Self.usual, pages + Self.step) }

    /// What SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().note(Int(pages))
    }
}
