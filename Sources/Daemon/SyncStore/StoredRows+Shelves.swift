import KeychainEngine
import KeychainModel
import SyncFormat
import SyncMerging

/// Looks at shelves and deletions of other machines. Files do not open any more without their shelf, and a member in
/// wrong hands may send anything.
extension StoredRows {
    /// Whether a version may meet what is here; true for an item.
    mutating func mayMeet(_ record: SyncRecord) -> Bool {
        guard let shelf = record.shelfID, let items = work?.access.items else { return true }
        do throws(Refusal) {
            if let row = all[record.rid], !row.isTombstone {
                try requireOpen(row, of: shelf, items)
                guard record.isShelf else { return true }
                return try row.record.isBare ? items.isDamaged(shelf) : !row.record.isOtherShelf(than: record)
            }
            // One that is here and in no record stays on this machine. Its id is known to all who have its files.
            let isInRecord = all[record.rid] != nil || places[record.rid] != nil
            if try isInRecord ? false : items.isThere(shelf) {
                return try record.isShelf ? items.isDamaged(shelf) : false
            }
            return try hasRoom(for: record, items)
        } catch {
            note(error)
            return false
        }
    }

    /// Shelves are merged while the machine is unlocked. Was it locked meanwhile, the whole batch comes again.
    private func requireOpen(_ row: SyncRow, of shelf: ShelfID, _ items: CircleItems) throws(Refusal) {
        guard row.record.isBare, case .locked? = try items.shelves([shelf]).first else { return }
        throw .lockedMeanwhile
    }

    private mutating func hasRoom(for record: SyncRecord, _ items: CircleItems) throws(Refusal) -> Bool {
        guard record.isShelf else { return true }
        let room = if let known = work?.roomForShelves { known } else { try items.roomForShelves() }
        work?.roomForShelves = room
        return room > 0
    }
}

extension Refusal {
    fileprivate static let lockedMeanwhile = Refusal(
        .interactionNotAllowed, .locked, "keychain", "The keychain was locked while a shelf came from another machine.",
        do: "Unlock the keychain with its passcode: security unlock-keychain.")
}
