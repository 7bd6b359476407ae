import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemAdd` (rules items.add.rules, items.add.any).
struct AddItem: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    func run() throws(Refusal) {
        let rowKey = writer.rowKeys.take(for: try authorized.addedAccessibility())
        var item = try newItem(authorized, uuid: rowKey?.uuid ?? Randomness.bytes(RowKeyRecord.rowBytes))
        if request.updatesExisting, let changed = try updatedTwin(of: item) {
            item = changed
        } else {
            try writer.put(try seal(item, with: rowKey), at: nil)
        }
        answer(notice: item.notice) { $0.append(item, request.returns) }
    }

    /// Gives the item with the same primary key what an add says, as an update would; nil when there is none, or one
    /// that no longer opens.
    private func updatedTwin(of item: PlainItem) throws(Refusal) -> PlainItem? {
        let batch = RowBatch()
        try store.occupant(of: store.digester.primaryKey(of: item.itemClass, item.encoded()), in: item.itemClass) {
            batch.append($0)
        }
        guard let row = batch.first, !row.isTombstone else { return nil }
        try batch.keys.unwrap(by: sealer.enclave)
        try openGuarded(in: batch)
        guard let old = try writer.decryptedItem(of: row, withValue: true) else {
            if request.missesNothing { throw .damagedMatch(item.itemClass) }
            return nil
        }
        let new = try replace(old, row, by: request.query)
        try gate.throwIfMissing()
        return new
    }
}
