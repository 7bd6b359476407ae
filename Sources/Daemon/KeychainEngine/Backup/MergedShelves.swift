import KeychainBackup
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Puts the shelves of a backup into the keychain, each under its id. A shelf that is here keeps its keys: with others
/// its files would not open any more. One whose record is damaged has no keys any more, and counts as none. Only a
/// shelf whose id is that of its keys takes its place: another would keep out the true one.
struct MergedShelves {
    let registry: ShelfRegistry
    /// Has the enclave open the keys of a shelf and seal them for this keychain, perhaps in place of a damaged one.
    let seal: (Shelf, _ isRepair: Bool) throws(Refusal) -> Shelf

    /// The outcome for a shelf. Nothing is compared that was not in the clear in its record.
    func outcome(of record: BackupShelf) throws(Refusal) -> RestoredItem.Outcome {
        let sealed = try checked(record, isRepair: try registry.hasDamage(at: record.shelf.id))
        return try registry.occupant(sealed.shelf.id).map { record.outcome(next: $0) } ?? .added
    }

    func add(_ record: BackupShelf, in writer: StoreWriter) throws(Refusal) -> RestoredItem.Outcome {
        let isRepair = try registry.isDamaged(record.shelf.id, in: writer)
        let found = try registry.keep(restored: try checked(record, isRepair: isRepair), in: writer)
        return found.map { record.outcome(next: $0) } ?? .added
    }

    /// The shelf, sealed by the enclave. Anybody who knows a backup's passphrase can have made its record.
    private func checked(_ record: BackupShelf, isRepair: Bool) throws(Refusal) -> KnownShelf {
        let group = record.shelf.key.binding.group
        guard !group.isEmpty, group != AccessGroup.any, group != AccessGroup.token else { throw .noShelfOfBackup }
        return record.known(as: try seal(record.shelf, isRepair))
    }
}

extension BackupShelf {
    func known(as shelf: Shelf) -> KnownShelf {
        KnownShelf(shelf: shelf, name: name, made: made, isOfOther: isOfOther)
    }

    /// The outcome where a shelf with its id is here.
    fileprivate func outcome(next found: KnownShelf) -> RestoredItem.Outcome {
        let (mine, theirs) = (found.shelf.key, shelf.key)
        let isSame =
            mine.binding == theirs.binding && mine.publicKey == theirs.publicKey && found.name == name
            && mine.keyType == theirs.keyType
        return isSame ? .same : .kept
    }
}

extension Refusal {
    fileprivate static let noShelfOfBackup = Refusal(
        .param, .wrongValue, "backup", "The record of the backup is not that of a shelf: its group is nobody's.",
        do: "Use a backup that `security backup` has made; the other items of this one are taken.")
}
