/// A connection's view of the store, held from one read to the next for as long as nobody changes the store.
///
/// SQLite begins and ends a transaction for every read on its own, which is a tenth of a lookup. One that stays open
/// saves that, and would do harm where it stays too long: it does not see what was acknowledged since, and a checkpoint
/// waits for it. Therefore
///
/// 1. only the one process that owns a store has them: its commits are all there are;
/// 2. it is begun no sooner than at a repeated read of the same state of the store, and ended before the first read of
/// another:
///    a reader between changes pays a comparison;
/// 3. it is not kept while its thread waits for long (``rest()``), nor while the thread does other things in a store
/// that
///    changes (``endIfOutdated()``);
/// 4. a read that fails ends it;
/// 5. there is none during a checkpoint.
///
/// Belongs to one connection, and with it to one thread at a time.
final class ReadTransaction {
    private let database: Database
    private let changes: ChangeCount
    private let begin, end: Statement
    /// The number of changes before the last read; nil when there was none since the last rest.
    private var seen: UInt64?
    private(set) var isHeld = false

    /// - Parameter changes: counts every change of the store.
    init(of database: Database, while changes: ChangeCount) throws(DatabaseError) {
        self.database = database
        self.changes = changes
        begin = try database.prepare("BEGIN", "be read")
        end = try database.prepare("COMMIT", "be read again")
    }

    /// Gets ready for a read, which then sees all that was acknowledged before.
    @inline(__always)
    func renew() throws(DatabaseError) {
        if !isHeld || isOutdated { try renewNow() }
    }

    /// Whether something was committed since the state that was seen last.
    private var isOutdated: Bool {
        @inline(__always) get { changes.value != seen }
    }

    private func renewNow() throws(DatabaseError) {
        try drop()
        // Looked at before the read that sees it, so that what is committed in between counts as a change.
        let now = changes.value
        defer { seen = now }
        guard seen == now, ChangeCount.allowsHolding(now) else { return }
        try begin.run()
        isHeld = true
    }

    /// Whether a checkpoint waits for those who read.
    var isInTheWay: Bool { !ChangeCount.allowsHolding(changes.value) }

    /// Holds nothing of a state that has passed.
    func endIfOutdated() {
        if isHeld, isOutdated { endTransaction() }
    }

    /// Holds no transaction until there are reads again. One that cannot be ended now is ended before the next read.
    func endTransaction() {
        seen = nil
        if isHeld { try? drop() }
    }

    private func drop() throws(DatabaseError) {
        guard isHeld else { return }
        // An error may have ended the transaction already.
        if database.isInTransaction { try end.run() }
        isHeld = false
    }
}
