/// How full the write-ahead log is. Belongs to one connection, and with it to one thread at a time.
///
/// A log that was moved into the database begins anew with the next commit, unless somebody reads in it just then, or did when
/// it was moved; it is tidied up again then before it has grown much.
final class LogGauge {
    private let file: WriteAheadLog
    private var pages = 0
    /// From so many pages on the log is moved beside its writer, and from so many on by the writer.
    private var many, most: Int
    /// Whether the log has been long since it was moved last.
    private var wasLong = false
    /// Where changes are counted for those who read.
    let changes: ChangeCount

    init(of file: WriteAheadLog, counting changes: ChangeCount) {
        (self.file, self.changes, many, most) = (file, changes, 0, 0)
        expectUsual()
    }

    private var step: Int { file.pages / 8 }

    /// With the latter the log is about to need more room than it has; the former leave time to move it before.
    private func expectUsual() { (many, most) = (file.pages - 2 * step, file.pages - step) }

    /// Whether it is time to move the log beside its writer.
    var isLong: Bool { pages > many }

    /// Whether it is time to move the log into the database.
    var isNearlyFull: Bool { pages > most }

    /// The log has so many pages after a commit.
    func note(_ pages: Int) {
        if pages < self.pages { expectUsual() }
        self.pages = pages
        if isLong { wasLong = true }
        changes.raise()
    }

    /// The log was moved into the database, as far as readers allowed. One that was long gets more room.
    func noteCheckpoint() {
        if wasLong { file.lengthen() }
        wasLong = false
        expectUsual()
        (many, most) = (max(many, pages + step / 2), max(most, pages + step))
    }

    /// What SQLite calls after every commit.
    static func note(_ context: UnsafeMutableRawPointer?, _ pages: Int32) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<LogGauge>.fromOpaque(context).takeUnretainedValue().note(Int(pages))
    }
}
