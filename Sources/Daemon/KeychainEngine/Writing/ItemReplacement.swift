import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Giving items new content, inside a transaction.
extension WriteCommand {
    /// Puts in the place of an item what a request changes of it.
    func replace(_ old: PlainItem, _ row: BatchRow, by changes: AttributeList) throws(Refusal) -> PlainItem {
        var new = old
        try new.apply(changes)
        if let value = changes.secret(.valueData) { (new.value, new.sealedKey) = (value, nil) }
        try replace(old, row, with: &new)
        return new
    }

    /// Puts an item in the place of what it was, which is kept as an earlier version.
    func replace(_ old: PlainItem, _ row: BatchRow, with new: inout PlainItem) throws(Refusal) {
        try settleKey(of: &new, isNew: false)
        new.attributes[.modificationDate] = .date(old.nextModificationDate)
        let newRow = try seal(new)
        let oldKey = try store.digester.primaryKey(of: old.itemClass, old.encoded())
        if new.isProtected(as: old) {
            try writer.keepVersion(row, .changed, at: new.modificationMicroseconds)
        } else {
            // The old content would stay under a protection that somebody has just changed.
            try store.forgetVersions(of: row)
        }
        try writer.put(newRow, at: row.id)
        // The other machines know the item by its old key and must learn that it is gone (rules items.update.all,
        // items.update.rename).
        guard oldKey != newRow.primaryKey, writer.isShared(old.isSynchronizable, old.accessibility) else { return }
        try writer.tellRename(of: old, oldKey, to: newRow)
    }
}

extension PlainItem {
    /// Whether the same class and the same access control keep it.
    func isProtected(as other: PlainItem) -> Bool {
        accessibility == other.accessibility && guardFlags == other.guardFlags
    }
}
