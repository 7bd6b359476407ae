/// How full the write-ahead log is. Belongs to one connection, and with it to one thread at a time.
///
/// A log that was moved into the database begins anew with the next commit, unless somebody reads in it just then, or did when
/// it was moved; it is tidied up again then before it has grown much.
final class LogGauge {
    private let file: WriteAheadLog
    private var pages = 0
    private var most: Int
    /// Where changes are counted for those who read.
    let changes: ChangeCount

    init(of file: WriteAheadLog, counting changes: ChangeCount) {
        (self.file, self.changes, most) = (file, changes, 0)
        most = usual
    }

    /// The log is about to need more room than it has.
    private var usual: Int { file.pages - step }
    private var step: Int { file.pages / 8 }

    /// Whether it is time to move the log into the database.
    var isNearlyFull: Bool { pages > most }

    /// The log has so many pages after a commit.
    func note(_ pages: Int) {
        if pages < self.pages { most = usual }
        self.pages = pages
        changes.raise()
    }

    /// The log was moved into the database, as far as readers allowed. One that was full gets more room.
    func noteCheckpoint() {
        if isNearlyFull { file.lengthen() }
        most = max(usual, pages + step)
    }

    /// What SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().note(Int(pages))
    }
}
