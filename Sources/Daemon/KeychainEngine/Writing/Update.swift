import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemUpdate` (rules items.update.all, items.update.rename): all matching items or none.
extension ItemWriter {
    func update(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw .nothingFound(request.request) }
        let batch = try rows(of: request, as: itemClass, by: write.deadline, withKeys: true)
        let gate = write.gate ?? plainGate
        try openGuarded(in: batch, as: itemClass, past: gate, request)
        let asked = AskedAttributes(request)
        var (changed, notice) = (0, nil as Refusal?)
        for index in batch.rows.indices {
            guard let item = try open(index, in: batch, as: itemClass, withValue: true, asked: asked) else { continue }
            do throws(Refusal) {
                let new = try replace(item, index, in: batch, by: request.request.changes, past: gate, request)
                notice = new.notice ?? notice
            } catch {
                // The others say first what they lack, so that the user is asked once.
                if error.status != .authNeeded || gate.missing.isEmpty { throw error }
            }
            changed += 1
        }
        try gate.check()
        guard changed > 0 else { throw .nothingFound(request.request) }
        write.writer.begin(id: write.id, notice: notice)
        write.writer.end()
    }

    /// Gives the item with the same primary key what an add says, as an update would; nil when there is none, or one
    /// that no longer opens.
    func updateTwin(
        of item: PlainItem, _ request: AuthorizedRequest, past gate: AccessControlGate
    ) throws(Refusal) -> PlainItem? {
        let batch = RowBatch()
        try store.occupant(of: store.digester.primaryKey(of: item.itemClass, item.encoded()), in: item.itemClass) {
            batch.append($0)
        }
        guard let row = batch.rows.first, !row.isTombstone else { return nil }
        try sealer.unwrapKeys(of: batch)
        try openGuarded(in: batch, as: item.itemClass, past: gate, request)
        guard let old = try open(0, in: batch, as: item.itemClass, withValue: true) else { return nil }
        let new = try replace(old, 0, in: batch, by: request.request.query, past: gate, request)
        try gate.check()
        return new
    }

    /// Puts in the keys of the guarded rows, for all of which the user is asked at once; nothing is changed before.
    func openGuarded(
        in batch: RowBatch, as itemClass: ItemClass, past gate: AccessControlGate, _ request: AuthorizedRequest
    ) throws(Refusal) {
        try lookAtGuarded(in: batch, as: itemClass, past: gate, request)
        try gate.check()
    }

    /// Puts in the keys of the guarded rows that open; the gate notes the others, until who calls this has it check.
    func lookAtGuarded(
        in batch: RowBatch, as itemClass: ItemClass, past gate: AccessControlGate, _ request: AuthorizedRequest
    ) throws(Refusal) {
        let ui = request.request.authenticationUI
        for index in batch.rows.indices where !gate.isFull {
            let row: GuardedRow?
            do throws(ItemSealer.Failure) { row = try batch.guarded(index) } catch { continue }
            guard let row, let item = try open(index, in: batch, as: itemClass, withValue: false) else { continue }
            do throws(Refusal) {
                let key = try gate.open(row, ui, isAnchored: request.isAnchored, name: { item.displayName })
                if let key { batch.open(index, with: key) }
            } catch { if error.status != .decode { throw error } }
        }
    }

    private func replace(
        _ old: PlainItem, _ index: Int, in batch: RowBatch, by changes: AttributeList, past gate: AccessControlGate,
        _ request: AuthorizedRequest
    ) throws(Refusal) -> PlainItem {
        var new = old
        try new.apply(changes)
        if let value = changes.secret(.valueData) { (new.value, new.sealedKey) = (value, nil) }
        try replace(old, index, in: batch, with: &new, past: gate, request)
        return new
    }

    /// Puts an item in the place of what it was, which is kept as an earlier version.
    func replace(
        _ old: PlainItem, _ index: Int, in batch: RowBatch, with new: inout PlainItem, past gate: AccessControlGate,
        _ request: AuthorizedRequest
    ) throws(Refusal) {
        try settleKey(of: &new, isNew: false, past: gate, request)
        new.attributes[.modificationDate] = .date(old.nextModificationDate)
        let row = try seal(new, past: gate, request.request.authenticationUI)
        let oldKey = try store.digester.primaryKey(of: old.itemClass, old.encoded())
        if new.isProtected(as: old) {
            try keepVersion(index, in: batch, as: old.itemClass, .changed, at: new.modificationMicroseconds)
        } else {
            // The old content would stay under a protection that somebody has just changed.
            try forgetVersions(ofRow: index, in: batch, as: old.itemClass)
        }
        try put(row, at: batch.rows[index].id)
        // The other devices know the item by its old key and must learn that it is gone (rules items.update.all,
        // items.update.rename).
        if old.isSynchronizable, oldKey != row.primaryKey { try leaveTombstone(of: old, at: nil) }
    }
}

extension PlainItem {
    /// Whether the same class and the same access control keep it.
    fileprivate func isProtected(as other: PlainItem) -> Bool {
        accessibility == other.accessibility && guardFlags == other.guardFlags
    }

    /// Later than now and than before: modification dates of an item only grow.
    var nextModificationDate: Double {
        guard case .date(let before)? = attributes[.modificationDate] else { return Clock.secondsSinceReferenceDate }
        return max(Clock.secondsSinceReferenceDate, before + 0.001)
    }
}
