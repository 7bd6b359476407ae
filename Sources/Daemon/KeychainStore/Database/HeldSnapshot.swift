/// What a connection sees of the store, held from one read to the next for as long as nobody changes the store.
///
/// SQLite begins and ends a transaction for every read on its own, which is a tenth of a lookup, and a fifth where it takes locks
/// against other processes. One that stays open saves that, and would do harm where it stays too long: it does not see what was
/// acknowledged since, and a log with a reader in it cannot begin anew. Therefore
///
/// 1. it is begun no sooner than at a repeated read of the same state of the store, and ended before the first read of another:
///    who reads between changes pays a comparison;
/// 2. it is not kept while its thread waits for long (``rest()``), nor while the thread does other things in a store that
///    changes (``dropOutdated()``);
/// 3. a read that fails ends it;
/// 4. there is none while the log is being moved into the database, or is long enough to be. One that is begun afterwards reads
///    the database alone, beside which the log may begin anew.
///
/// Belongs to one connection, and with it to one thread at a time.
final class HeldSnapshot {
    private let database: Database
    /// What this process does to the store, and all others.
    private let changes: ChangeCount
    private var log: SharedLog?
    private let isShared: Bool
    private let begin, end: Statement
    /// The number of changes before the last read; nil when there was none since the last rest.
    private var seen: UInt64?
    /// How many reads saw the same state in a row.
    private var repeated = 0
    private(set) var isHeld = false

    /// After so many repeated reads it is held. In a store that others use that may take a thread to let go of it again, which
    /// costs as much as some dozen reads save.
    private var patience: Int { isShared ? 50 : 1 }

    /// - Parameters:
    ///   - changes: counts every change of the store by this process.
    ///   - isShared: whether other processes change it too.
    init(of database: Database, while changes: ChangeCount, isShared: Bool) throws(DatabaseError) {
        self.database = database
        self.changes = changes
        self.isShared = isShared
        begin = try database.prepare("BEGIN", "be read")
        end = try database.prepare("COMMIT", "be read anew")
    }

    /// Gets ready for a read, which then sees all that was acknowledged before.
    @inline(__always)
    func renew() throws(DatabaseError) {
        if !isHeld || isOutdated { try renewNow() }
    }

    /// Whether something was committed since the state that was seen last.
    private var isOutdated: Bool {
        @inline(__always) get { changes.value != seen || log?.isUnchanged == false }
    }

    private func renewNow() throws(DatabaseError) {
        try drop()
        repeated = seen == nil || isOutdated ? 0 : repeated + 1
        if isShared, log == nil, repeated == patience { log = database.sharedLog() }
        noteState()
        guard repeated >= patience, allowsHolding else { return }
        try begin.run()
        isHeld = true
    }

    /// Before the read that sees it, so that what is committed in between counts as a change.
    private func noteState() {
        seen = changes.value
        log?.note()
    }

    private var allowsHolding: Bool {
        guard ChangeCount.allowsHolding(changes.value) else { return false }
        return isShared ? log?.allowsHolding ?? false : true
    }

    /// Holds nothing of a state that has passed.
    func dropOutdated() {
        if isHeld, isOutdated { rest() }
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
