import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemDelete` (rules items.delete.all, items.tombstone.left): what is synchronised leaves a tombstone, everything
/// else is gone.
extension ItemWriter {
    func delete(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw .nothingFound(request.request) }
        if itemClass == .identity {
            try deleteIdentities(request, by: write.deadline)
        } else {
            let batch = try rows(of: request, as: itemClass, by: write.deadline, withKeys: false)
            for index in batch.rows.indices { try remove(index, in: batch, as: itemClass, request) }
        }
        write.writer.begin(id: write.id)
        write.writer.end()
    }

    /// Removes a row, or leaves a tombstone in its place.
    func remove(
        _ index: Int, in batch: RowBatch, as itemClass: ItemClass, _ request: AuthorizedRequest
    ) throws(Refusal) {
        let row = batch.rows[index]
        try keepDeleted(index, in: batch, as: itemClass, request)
        if row.isSynchronizable, !row.isTombstone, !request.request.withoutTombstones {
            try bury(index, in: batch, as: itemClass)
        } else {
            try store.delete(row.id, from: itemClass)
        }
    }

    private func bury(_ index: Int, in batch: RowBatch, as itemClass: ItemClass) throws(Refusal) {
        let id = batch.rows[index].id
        guard let item = try open(index, in: batch, as: itemClass, withValue: false) else {
            return try store.quarantine(id, from: itemClass)
        }
        try leaveTombstone(of: item, at: id)
    }

    /// Keeps only what identifies the item: its primary key and its dates.
    func leaveTombstone(of item: PlainItem, at id: Int64?) throws(Refusal) {
        let identifying = AttributeTable.primaryKey(of: item.itemClass).map(\.id) + [.creationDate, .accessible]
        var tombstone = PlainItem(
            itemClass: item.itemClass, uuid: id == nil ? Randomness.bytes(16) : item.uuid, attributes: [:], value: nil)
        for attribute in identifying { tombstone.attributes[attribute] = item.attributes[attribute] }
        tombstone.attributes[.modificationDate] = .date(item.nextModificationDate)
        tombstone.attributes[.tombstone] = .number(1)
        try put(try sealer.seal(tombstone, for: store), at: id)
    }
}
