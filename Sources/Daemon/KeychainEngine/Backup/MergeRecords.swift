import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Puts the records of a backup into the keychain, or only says what would become of them. An item that is not there is
/// added; of two the later modification date wins, and the other one goes to the history. Nothing is deleted: where the
/// history cannot keep what is here, the item of the backup is refused.
struct MergeRecords: WriteCommand {
    let records: [BackupEntry]
    let shelves: MergedShelves
    let applies: Bool
    /// Whether the values of items are compared with those of the backup. A caller who has shown nothing, as for a
    /// drill, would learn by a file of their own whether a guess at a value is right.
    let comparesValues: Bool
    let writer: ItemWriter
    let deadline: Deadline

    // The keychain's user has shown who they are: nobody is asked for single items.
    var gate: AccessControlGate { writer.plainGate }
    var isAnchored: Bool { true }
    var ui: ItemRequest.AuthenticationUI { .fail }

    func run() throws(Refusal) -> [RestoredItem] {
        sealer.forgetClosedKeys()
        var results: [RestoredItem] = []
        guard applies else {
            for record in records { results.append(try result(of: record)) }
            return results
        }
        // Items of a backup are nobody's for quotas, until a program changes them.
        store.owner = nil
        try prepareKeys()
        try store.transaction(by: deadline) { () throws(Refusal) in
            for record in records { results.append(try result(of: record)) }
            try store.settleChanges(areShown: true)
        }
        return results
    }

    private func prepareKeys() throws(Refusal) {
        let keys = MetadataKeys(store: store, sealer: sealer)
        let accessibilities = records.compactMap { record -> Accessibility? in
            guard case .item(let item) = record else { return nil }
            return item.list.accessibility
        }
        for accessibility in Set(accessibilities) where !accessibility.isThisDeviceOnly {
            try keys.prepare(for: accessibility, by: deadline)
        }
    }

    // MARK: - One item

    /// The item that has its primary key.
    struct Occupant {
        let row: BatchRow
        let item: PlainItem
        /// Whether its value was opened.
        let hasValue: Bool

        /// Whether another item has the same attributes and, as far as this one's is open, the same value.
        func isSame(as other: PlainItem) -> Bool {
            guard item.encoded().storage.isEqual(to: other.encoded().storage) else { return false }
            guard hasValue else { return true }
            let (mine, theirs) = (item.value, other.value)
            if let mine, let theirs { return mine.isEqual(to: theirs) }
            return mine == nil && theirs == nil
        }
    }

    private func result(of record: BackupEntry) throws(Refusal) -> RestoredItem {
        switch record {
        case .item(let record):
            let (group, name) = (record.list[.accessGroup]?.string ?? "", record.list.displayName)
            return try result(.item(record.itemClass), group: group, name: name) { () throws(Refusal) in
                try outcome(of: record)
            }
        case .shelf(let record):
            let (group, known) = (record.shelf.key.binding.group, record.known(as: record.shelf))
            return try result(.shelf, group: group, name: known.label) { () throws(Refusal) in
                var outcome = RestoredItem.Outcome.added
                guard applies else { return try shelves.outcome(of: record) }
                try store.savepoint { () throws(Refusal) in outcome = try shelves.add(record, in: store) }
                return outcome
            }
        }
    }

    /// Refusals of one record leave the others alone; one of the store ends the restore.
    private func result(
        _ recordClass: BackupClass, group: String, name: String,
        _ merge: () throws(Refusal) -> RestoredItem.Outcome
    ) throws(Refusal) -> RestoredItem {
        try deadline.check()
        do throws(Refusal) {
            return RestoredItem(recordClass, try merge(), group: group, name: name)
        } catch {
            guard error.rule != .unavailable, error.rule != .unknownOutcome, error.rule != .deadline,
                !applies || store.isInTransaction
            else { throw error }
            let why = "\(error.problem) \(error.remedy)"
            return RestoredItem(recordClass, .refused, group: group, name: name, why: why)
        }
    }

    private func outcome(of record: BackupRecord) throws(Refusal) -> RestoredItem.Outcome {
        let item = try record.item()
        let occupant = try occupant(of: item)
        let outcome = try outcome(of: item, occupant)
        guard applies, outcome != .same else { return outcome }
        try store.savepoint { () throws(Refusal) in try merge(item, occupant, outcome) }
        return outcome
    }

    private func occupant(of item: PlainItem) throws(Refusal) -> Occupant? {
        let found = RowBatch()
        let primaryKey = try store.digester.primaryKey(of: item.itemClass, item.encoded())
        try store.occupant(of: primaryKey, in: item.itemClass) { found.append($0) }
        guard let row = found.first, !row.isTombstone, row.isAuthentic else { return nil }
        // A value that asks for its user, or is a key of the enclave, is not compared.
        let isCompared = comparesValues && !row.isGuarded && !row.isSealedKey
        if isCompared { try found.keys.unwrap(by: sealer.enclave) }
        guard let old = try writer.decryptedItem(of: row, withValue: isCompared) else { return nil }
        return Occupant(row: row, item: old, hasValue: isCompared)
    }

    private func outcome(of item: PlainItem, _ occupant: Occupant?) throws(Refusal) -> RestoredItem.Outcome {
        if item.guardFlags != 0, try !sealer.enclave.status().passcodeIsSet { throw .guardedWithoutPasscode }
        guard let occupant else { return .added }
        let (new, old) = (item.modificationMicroseconds, occupant.item.modificationMicroseconds)
        if new == old { return occupant.isSame(as: item) ? .same : .kept }
        if new < old { return .kept }
        guard !occupant.row.isSealedKey else { throw .sealedKeyStays }
        guard item.isProtected(as: occupant.item) else { throw .otherProtection }
        guard writer.history.days > 0 else { throw .noHistory }
        return .replaced
    }

    private func merge(
        _ item: PlainItem, _ occupant: Occupant?, _ outcome: RestoredItem.Outcome
    ) throws(Refusal) {
        guard let occupant else { return try add(item) }
        var new = PlainItem(
            itemClass: item.itemClass, uuid: occupant.item.uuid, attributes: item.attributes, value: item.value)
        if outcome == .kept { return try keepAsVersion(new, of: occupant) }
        try settleKey(of: &new, isNew: true)
        let row = try seal(new)
        try writer.keepVersion(occupant.row, .changed, at: new.modificationMicroseconds)
        try writer.put(row, at: occupant.row.id)
    }

    /// Adds an item under the UUID that it had, unless another item has that.
    private func add(_ item: PlainItem) throws(Refusal) {
        var item = item
        try settleKey(of: &item, isNew: true)
        do throws(Refusal) { try writer.put(try seal(item), at: nil) } catch {
            guard error.rule == .duplicate else { throw error }
            let other = PlainItem(
                itemClass: item.itemClass, uuid: Randomness.bytes(RowKeyRecord.rowBytes), attributes: item.attributes,
                value: item.value)
            try writer.put(try seal(other), at: nil)
        }
    }

    /// Keeps what lost as an earlier version of the item, if it is not one yet. The item stays as it is: other machines
    /// are not told of it.
    private func keepAsVersion(_ lost: PlainItem, of occupant: Occupant) throws(Refusal) {
        guard writer.history.days > 0, lost.guardFlags == 0, !occupant.row.isSealedKey,
            lost.isProtected(as: occupant.item), try !hasVersion(lost)
        else { return }
        try writer.keepVersion(try seal(lost), at: occupant.item.modificationMicroseconds)
    }

    private func hasVersion(_ item: PlainItem) throws(Refusal) -> Bool {
        let search = VersionSearch(item.itemClass, groups: nil, uuid: item.uuid, since: writer.history.since())
        let batch = RowBatch()
        var found = false
        try store.reader.versions(search, by: deadline) { (version) throws(Refusal) in
            batch.removeAll()
            batch.append(version.row)
            let earlier = try writer.decryptedItem(of: batch[0], withValue: false)
            found = earlier?.modificationMicroseconds == item.modificationMicroseconds
            return !found
        }
        return found
    }
}

extension Refusal {
    fileprivate static let sealedKeyStays = Refusal(
        .param, .conflict, "keys", "The key that is here never leaves the enclave, and nothing takes its place.",
        do: "Delete it first if the one of the backup is meant.")

    fileprivate static let noHistory = Refusal(
        .param, .conflict, "v_Data", "No earlier versions are kept here, and the value that is here would be lost.",
        do: "Delete it first if the one of the backup is meant.")

    fileprivate static let otherProtection = Refusal(
        .param, .conflict, "pdmn",
        "The item that is here is protected in another way, and the history would not keep its value.",
        do: "Delete it first if the one of the backup is meant.")

    fileprivate static let guardedWithoutPasscode = Refusal(
        .authFailed, .passcodeNotSet, "accc", "The item asks for its user, and no password is set here.",
        do: "Set one (security set-keychain-password), and restore again.")
}
