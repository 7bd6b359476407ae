/// What a connection sees of the store, held from one read to the next for as long as nobody changes the store.
///
/// SQLite begins and ends a transaction for every read on its own, which is a tenth of a lookup. One that stays open saves that,
/// and would do harm where it stays too long: it does not see what was acknowledged since, and a log with a reader in it cannot
/// begin anew. Therefore
///
/// 1. it is begun no sooner than at the second read of the same state of the store, and ended before the first read of another:
///    who reads between changes pays a comparison;
/// 2. it is not kept while its thread waits for long (``rest()``), nor while the thread does other things in a store that
///    changes (``dropOutdated()``);
/// 3. a read that fails ends it;
/// 4. there is none while the log is being moved into the database. One that is begun afterwards reads the database alone, beside
///    which the log may begin anew.
///
/// Belongs to one connection, and with it to one thread at a time.
final class HeldSnapshot {
    private let database: Database
    private let changes: ChangeCount
    private let begin, end: Statement
    /// The number of changes before the last read; nil when there was none since the last rest.
    private var seen: UInt64?
    private var isHeld = false

    /// - Parameter changes: counts every change of the store, whoever makes it.
    init(of database: Database, while changes: ChangeCount) throws(DatabaseError) {
        self.database = database
        self.changes = changes
        begin = try database.prepare("BEGIN", "be read")
        end = try database.prepare("COMMIT", "be read anew")
    }

    /// Gets ready for a read, which then sees all that was acknowledged before.
    @inline(__always)
    func renew() throws(DatabaseError) {
        let now = changes.value
        if now != seen || !isHeld { try renew(now) }
    }

    private func renew(_ now: UInt64) throws(DatabaseError) {
        try drop()
        if now == seen, ChangeCount.allowsHolding(now) {
            try begin.run()
            isHeld = true
        }
        seen = now
    }

    /// Holds nothing of a state that has passed.
    func dropOutdated() {
        if isHeld, changes.value != seen { rest() }
    }

    /// Holds nothing until there are reads again. What cannot be ended now is ended before the next read.
    func rest() {
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
