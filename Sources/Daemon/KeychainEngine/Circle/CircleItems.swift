import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainPolicy
package import KeychainStore
package import LinuxSystem

/// The items of a keychain for the machines of its circle, in one transaction of the store. Owners, quotas and users
/// who are to be asked are a matter of programs: an item that comes has none of them.
package struct CircleItems: WriteCommand {
    let writer: ItemWriter
    let shelves: ShelfRegistry

    var gate: AccessControlGate { writer.plainGate }
    var isAnchored: Bool { true }
    var ui: ItemRequest.AuthenticationUI { .fail }

    /// The tables of the circle.
    package var tables: StoreWriter { writer.store }

    /// The row under a primary key, opened.
    package enum Found {
        case item(CircleItem)
        /// An item that stays on its machine, or one that does not open.
        case nothing
        /// Its class is closed.
        case locked
    }

    /// Opens the items, or the tombstones, that have primary keys. The enclave is asked once for their keys.
    package func items(at places: [RecordPlace]) throws(Refusal) -> [Found] {
        let batch = RowBatch()
        var rows: [BatchRow?] = []
        for place in places {
            let count = batch.count
            if let itemClass = place.itemClass {
                try store.occupant(of: place.primaryKey, in: itemClass) { batch.append($0) }
            }
            rows.append(batch.count > count ? batch.last : nil)
        }
        if !batch.isEmpty { try batch.keys.unwrap(by: sealer.enclave) }
        var found: [Found] = []
        for row in rows { found.append(try opened(row)) }
        return found
    }

    private func opened(_ row: BatchRow?) throws(Refusal) -> Found {
        guard let row, row.isAuthentic, !row.isGuarded, !row.isSealedKey else { return .nothing }
        do throws(Refusal) {
            guard let item = try writer.decryptedItem(of: row, withValue: true) else { return .nothing }
            let value = item.value ?? SecretBytes(count: 0)
            return CircleItem(item, value: value).map { .item($0) } ?? .nothing
        } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            return .locked
        }
    }

    /// The primary key that an item has in this keychain.
    package func primaryKey(of item: CircleItem) throws(Refusal) -> [UInt8] {
        try store.digester.primaryKey(of: item.itemClass, item.attributes)
    }

    /// Has keys for items that are about to be put in. The enclave is asked once for each class.
    package func prepareKeys(for items: [CircleItem]) throws(Refusal) {
        let counts = items.reduce(into: [:]) { $0[$1.accessibility, default: 0] += 1 }
        writer.rowKeys = try RowKeys(counts, from: sealer.enclave)
    }

    /// Puts an item in, in the place of what has its primary key. The UUID stays, by which programs refer to the item.
    package func put(_ item: CircleItem) throws(Refusal) {
        let batch = RowBatch()
        try store.occupant(of: try primaryKey(of: item), in: item.itemClass) { batch.append($0) }
        let place = batch.first.flatMap { $0.isAuthentic ? $0 : nil }
        // An item of this device alone is no record of the circle, and the history would not keep it.
        guard place?.accessibility?.isThisDeviceOnly != true else { return }
        let key = place == nil ? writer.rowKeys.take(for: item.accessibility) : nil
        let uuid = place?.uuid ?? key?.uuid ?? Randomness.bytes(RowKeyRecord.rowBytes)
        guard var plain = item.plainItem(uuid: uuid) else { return }
        try settleKey(of: &plain, isNew: true)
        try writer.put(try seal(plain, with: key), at: place?.id)
    }

    /// Keeps the item at a place as an earlier version, before another takes its place.
    ///
    /// - Parameters:
    ///   - end: whether that deletes it.
    ///   - lost: whose change takes its place, and whether its author had not known this one.
    ///   - winner: what takes its place, if that is to be compared.
    package func keepVersion(
        at place: RecordPlace, _ end: VersionEnd, lost: LostVersion, to winner: CircleItem?
    ) throws(Refusal) {
        let batch = RowBatch()
        guard let itemClass = place.itemClass else { return }
        try store.occupant(of: place.primaryKey, in: itemClass) { batch.append($0) }
        guard let row = batch.first else { return }
        try writer.keepVersion(row, end, at: now, lost: try isSame(place, as: winner) ? lost.settled : lost)
    }

    /// Keeps a version that no row has had: it has lost to what is there.
    ///
    /// - Parameters: as above.
    package func keepVersion(unstored item: CircleItem, _ end: VersionEnd, lost: LostVersion) throws(Refusal) {
        let place = RecordPlace(itemClass: item.itemClass, primaryKey: try primaryKey(of: item))
        let batch = RowBatch()
        try store.occupant(of: place.primaryKey, in: item.itemClass) { batch.append($0) }
        guard !item.isTombstone, let row = batch.first, let plain = item.plainItem(uuid: row.uuid) else { return }
        let isLost = try lost.conflict == nil ? false : !isSame(place, as: item)
        try writer.keepVersion(try seal(plain), end, at: now, lost: isLost ? lost : lost.settled)
    }

    /// Whether the item at a version's place is what that version was, so that nothing of it is lost any more; false
    /// for a version that cannot be opened now.
    package func isThere(_ loser: StoredLoser) throws(Refusal) -> Bool {
        // No history has a shelf.
        guard let itemClass = loser.place.itemClass else { return false }
        let batch = RowBatch()
        try store.reader.version(loser.number, of: itemClass) { batch.append($0) }
        guard !batch.isEmpty else { return false }
        try batch.keys.unwrap(by: sealer.enclave)
        guard case .item(let item) = try opened(batch[0]) else { return false }
        return try isSame(loser.place, as: item)
    }

    /// Whether two machines have made the same of an item: nothing is lost then.
    private func isSame(_ place: RecordPlace, as other: CircleItem?) throws(Refusal) -> Bool {
        guard let other, case .item(let item) = try items(at: [place])[0] else { return false }
        return item.isSame(as: other)
    }

    /// The loser was there until now, whatever its clock said.
    private var now: Int64 { HistoryLimits.microseconds(Clock.secondsSinceReferenceDate) }

    /// Gives the UUID of a tombstone to the item that has become of it, so that programs find that by their references.
    ///
    /// It stays in its group: a program may write through its reference, and what it writes would be there for the
    /// programs of another group. Nobody here can see whether a user has moved the item, or a member in wrong hands.
    package func giveName(
        of tombstone: [UInt8], to item: [UInt8], _ classes: (tombstone: ItemClass, item: ItemClass)
    ) throws(Refusal) {
        let (old, new) = (RowBatch(), RowBatch())
        try store.occupant(of: tombstone, in: classes.tombstone) { old.append($0) }
        try store.occupant(of: item, in: classes.item) { new.append($0) }
        guard classes.tombstone == classes.item, let old = old.first, old.isTombstone, let new = new.first,
            !new.isTombstone
        else { return }
        let found = try items(at: [
            RecordPlace(itemClass: classes.tombstone, primaryKey: tombstone),
            RecordPlace(itemClass: classes.item, primaryKey: item),
        ])
        guard case .item(let gone) = found[0], case .item(let there) = found[1],
            gone.attributes[.accessGroup] == there.attributes[.accessGroup]
        else { return }
        try rename(gone, old, to: Randomness.bytes(RowKeyRecord.rowBytes))
        try rename(there, new, to: old.uuid)
    }

    private func rename(_ item: CircleItem, _ row: BatchRow, to uuid: [UInt8]) throws(Refusal) {
        if let plain = item.plainItem(uuid: uuid) { try writer.put(try seal(plain), at: row.id) }
    }

    /// Removes a tombstone that nobody needs any more.
    package func remove(_ primaryKey: [UInt8], of itemClass: ItemClass) throws(Refusal) {
        let batch = RowBatch()
        try store.occupant(of: primaryKey, in: itemClass) { batch.append($0) }
        if let row = batch.first, row.isTombstone { try store.delete(row.id, from: itemClass) }
        try store.forgetRecord(RecordPlace(itemClass: itemClass, primaryKey: primaryKey))
    }
}

// MARK: - Secrets of the state

extension CircleItems {
    /// Seals the body of a record that waits, as the attributes of an item of its class are sealed.
    ///
    /// - Throws: `errSecInteractionNotAllowed` when the class is closed.
    package func sealSecret(
        _ body: SecretBytes, _ accessibility: Accessibility, boundTo piece: [UInt8]
    ) throws(Refusal) -> [UInt8] {
        let cipher = try cipher(accessibility)
        do throws(CryptoError) {
            return try body.withSpan { (body) throws(CryptoError) in try cipher.seal(body, aad: piece.span) }
        } catch { throw .cryptography(error) }
    }

    /// Opens what ``sealSecret(_:_:boundTo:)`` has sealed; nil when it is not that.
    package func openSecret(
        _ sealed: [UInt8], _ accessibility: Accessibility, boundTo piece: [UInt8]
    ) throws(Refusal) -> SecretBytes? {
        let (cipher, output) = (try cipher(accessibility), SecretBuffer(capacity: sealed.count))
        do throws(CryptoError) {
            try cipher.open(sealed.span, aad: piece.span, into: output)
            return output.finish()
        } catch { return nil }
    }

    private func cipher(_ accessibility: Accessibility) throws(Refusal) -> AESGCM {
        guard let cipher = try sealer.context(for: accessibility, in: store.reader) else {
            throw .locked(accessibility)
        }
        return cipher
    }
}

extension KeychainEngine {
    /// Runs `body` in one transaction of the store: all that it changes is on disk when this returns, or nothing.
    ///
    /// - Parameter classes: protection classes of what may come; those that are closed are left out.
    /// - Throws: what `body` throws, and what the store says.
    package func withCircleItems<Result>(
        _ classes: [Accessibility] = [.whenUnlocked, .afterFirstUnlock, .always],
        _ body: (CircleItems) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        try change { (writer) throws(Refusal) in
            let items = CircleItems(writer: writer, shelves: shelves)
            writer.sealer.forgetClosedKeys()
            writer.store.owner = nil
            for accessibility in classes { try items.prepare(accessibility) }
            defer { writer.rowKeys = RowKeys() }
            return try writer.store.transactionIfNeeded { () throws(Refusal) in try body(items) }
        }
    }
}

extension CircleItems {
    fileprivate func prepare(_ accessibility: Accessibility) throws(Refusal) {
        let keys = MetadataKeys(store: store, sealer: sealer)
        do throws(Refusal) { try keys.prepare(for: accessibility, by: .never) } catch {
            guard error.status == .interactionNotAllowed else { throw error }
        }
    }
}
