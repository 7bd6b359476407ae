import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Brings back earlier versions of items that the caller may change. An item is deleted or replaced on purpose: where
/// there is a passcode, it comes back only in the user's presence. A guarded one comes back only when its user has
/// shown what it asks for.
struct RestoreItems: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    func run() throws(Refusal) {
        let itemClass = try itemClass()
        if let number = request.lostVersion { return try restore(lost: number, as: itemClass) }
        guard let moment = request.moment else { return try undelete(as: itemClass) }
        try restore(asOf: HistoryLimits.microseconds(moment), as: itemClass)
    }

    /// Gives an item the version that has lost to another machine's change, or adds the item again where that change
    /// has deleted it.
    private func restore(lost number: Int64, as itemClass: ItemClass) throws(Refusal) {
        guard let lost = try versions(as: itemClass).first(where: { $0.id == number && $0.isLost }) else {
            throw .noVersion(request)
        }
        guard let batch = try rows(as: itemClass), batch.count == 1, batch[0].uuid == lost.uuid else {
            return try bringBack(lost, as: itemClass)
        }
        try restore(batch, as: itemClass) { (_) in lost }
        try store.forget(version: number)
    }

    /// The rows that the query finds; nil where there are none.
    private func rows(as itemClass: ItemClass) throws(Refusal) -> RowBatch? {
        do throws(Refusal) {
            return try writer.rows(of: authorized, as: itemClass, by: deadline, withKeys: true)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }

    /// Adds the item again that was deleted last among those found, as it was and under the same UUID.
    private func undelete(as itemClass: ItemClass) throws(Refusal) {
        guard let last = try versions(as: itemClass).last(where: { $0.end == .deleted }) else {
            throw .noVersion(request)
        }
        try bringBack(last, as: itemClass)
    }

    private func bringBack(_ version: OpenedVersion, as itemClass: ItemClass) throws(Refusal) {
        let batch = try row(of: version, as: itemClass)
        try setGuardedKeys(in: batch)
        try requirePresence(in: batch)
        try gate.throwIfMissing()
        var item = try self.version(in: batch)
        item.attributes[.modificationDate] = .date(item.nextModificationDate)
        try settleKey(of: &item, isNew: false)
        try writer.put(try seal(item), at: nil)
        try store.forget(version: version.id)
        answer { $0.append(item, request.returns) }
    }

    /// Gives each item found what it had at a moment; what it has now becomes an earlier version.
    private func restore(asOf moment: Int64, as itemClass: ItemClass) throws(Refusal) {
        let batch = try writer.rows(of: authorized, as: itemClass, by: deadline, withKeys: true)
        try restore(batch, as: itemClass) { (item) throws(Refusal) in
            guard let found = try versions(of: item).first(where: { $0.ended > moment }), found.began <= moment else {
                throw .noVersion(request)
            }
            return found
        }
    }

    /// Gives each item the version that `choose` has for it.
    private func restore(
        _ batch: RowBatch, as itemClass: ItemClass, _ choose: (PlainItem) throws(Refusal) -> OpenedVersion
    ) throws(Refusal) {
        // The user is asked at once for what the items are and for what they were.
        try setGuardedKeys(in: batch)
        var earlier: [(row: BatchRow, version: RowBatch)] = []
        for row in batch {
            guard let item = try writer.decryptedItem(of: row, withValue: false) else { continue }
            let version = try self.row(of: try choose(item), as: itemClass)
            try setGuardedKeys(in: version)
            try requirePresence(in: version)
            earlier.append((row, version))
        }
        try gate.throwIfMissing()
        for (row, version) in earlier {
            guard let old = try writer.decryptedItem(of: row, withValue: true) else { continue }
            var new = try self.version(in: version)
            try replace(old, row, with: &new)
        }
        answer()
    }

    /// Has the gate note the versions that lack the user's presence. A guarded one asks for it by itself.
    private func requirePresence(in batch: RowBatch) throws(Refusal) {
        guard try sealer.enclave.status().passcodeIsSet else { return }
        for row in batch where !gate.isFull {
            let item = try writer.decryptedItem(of: row, withValue: false)
            guard AccessConstraint(flags: item?.guardFlags ?? 0).demands.isEmpty else { continue }
            try gate.requirePresence(for: row.uuid, ui) { item?.displayName ?? "" }
        }
    }

    /// The item that the row of a version opens into.
    private func version(in batch: RowBatch) throws(Refusal) -> PlainItem {
        guard let row = batch.first, let item = try writer.decryptedItem(of: row, withValue: true) else {
            throw .noVersion(request)
        }
        return item
    }
}

extension Refusal {
    fileprivate static func noVersion(_ request: ItemRequest) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, request.effectiveClass?.code ?? "",
            request.moment == nil
                ? "No deleted item of the caller's groups matches the query."
                : "No earlier version of the item is of that time.",
            do: "See what there is with security history. Nothing is kept of items of this device only.")
    }
}
