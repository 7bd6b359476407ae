/// How many pages the write-ahead log holds that are not in the database yet. Belongs to one connection, and with it to one
/// thread at a time.
final class LogGauge {
    private var pages = 0
    /// What of it has been moved into the database; a log that begins anew has less than that.
    private var moved = 0

    /// Whether the log is about to need more room than it has from the beginning.
    var isNearlyFull: Bool { pages - moved > WriteAheadLog.pages - WriteAheadLog.pages / 8 }

    /// The log has so many pages after a commit.
    func note(_ pages: Int) {
        if pages < moved { moved = 0 }
        self.pages = pages
    }

    /// The log was moved into the database, as far as readers allowed.
    func noteCheckpoint() { moved = pages }

    /// What SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().note(Int(pages))
    }
}
