import KeychainModel
import KeychainStore
import LinuxSystem

/// Keeping what an update or a deletion ends, in its transaction.
extension ItemWriter {
    /// Keeps a row as it stands, which is about to be changed or deleted. Its key need not be there.
    ///
    /// - Parameters:
    ///   - ended: when that is over, in microseconds since 2001: when what follows begins.
    ///   - lost: whose change comes in its place, if another machine has made that.
    func keepVersion(
        _ row: BatchRow, _ end: VersionEnd, at ended: Int64, lost: LostVersion? = nil
    ) throws(Refusal) {
        guard history.days > 0, !dropsHistory, !row.isTombstone, row.isAuthentic, let accessibility = row.accessibility,
            accessibility.keepsHistory
        else { return }
        try store.keep(EndedVersion(row, accessibility, end, at: ended, lost: lost))
    }

    /// Whether other machines are to hear what becomes of an item, given what its row or its attributes say.
    func isShared(_ isSynchronizable: Bool, _ accessibility: Accessibility?) -> Bool {
        store.isInCircle && isSynchronizable && accessibility?.isThisDeviceOnly == false
    }

    /// Tells the other machines that an item has taken another primary key, in the place of its old one.
    ///
    /// - Parameters:
    ///   - key: the old primary key.
    ///   - row: what the item is now.
    func tellRename(of old: PlainItem, _ key: [UInt8], to row: NewRow) throws(Refusal) {
        // The tombstone's record takes the place of the old one.
        try store.noteRename(of: key, to: RecordPlace(itemClass: row.itemClass, primaryKey: row.primaryKey))
        try leaveTombstone(of: old, at: nil)
    }

    /// Keeps a version that no row has had.
    ///
    /// - Parameters: as above.
    func keepVersion(
        _ row: NewRow, _ end: VersionEnd = .changed, at ended: Int64, lost: LostVersion? = nil
    ) throws(Refusal) {
        guard history.days > 0, row.accessibility.keepsHistory else { return }
        try store.keep(lost: EndedVersion(UnstoredRow(row), row.accessibility, end, at: ended, lost: lost))
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

    /// Drops what is past and what is too much.
    ///
    /// - Parameter now: seconds since 2001.
    func trimHistory(now: Double) throws(Refusal) {
        try store.trimHistory(endedBefore: history.since(now), atMost: history.bytes)
    }
}
