import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemUpdate` (semantics B.4): all matching items or none.
extension ItemWriter {
    func update(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw .nothingFound(request.request) }
        let batch = try rows(of: request, as: itemClass, by: write.deadline, withKeys: true)
        var (changed, notice) = (0, nil as Refusal?)
        for index in batch.rows.indices {
            guard let item = try open(index, in: batch, as: itemClass, withValue: true) else { continue }
            notice = try replace(item, at: batch.rows[index].id, by: request.request.changes).notice ?? notice
            changed += 1
        }
        guard changed > 0 else { throw .nothingFound(request.request) }
        write.writer.begin(id: write.id, notice: notice)
        write.writer.end()
    }

    private func replace(_ old: PlainItem, at id: Int64, by changes: AttributeList) throws(Refusal) -> PlainItem {
        var new = old
        try new.apply(changes)
        if let value = changes.secret(.valueData) { (new.value, new.sealedKey) = (value, nil) }
        try settleKey(of: &new, isNew: false)
        new.attributes[.modificationDate] = .date(old.nextModificationDate)
        let row = try sealer.seal(new, digester: store.digester)
        let oldKey = try store.digester.primaryKey(of: old.itemClass, old.encoded())
        try put(row, at: id)
        // The other devices know the item by its old key and must learn that it is gone (semantics B.4).
        if old.isSynchronizable, oldKey != row.primaryKey { try leaveTombstone(of: old, at: nil) }
        return new
    }
}

extension PlainItem {
    /// Later than now and than before: modification dates of an item only grow.
    var nextModificationDate: Double {
        guard case .date(let before)? = attributes[.modificationDate] else { return Clock.secondsSinceReferenceDate }
        return max(Clock.secondsSinceReferenceDate, before + 0.001)
    }
}
