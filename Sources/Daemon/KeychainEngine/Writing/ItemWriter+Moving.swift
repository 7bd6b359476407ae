import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Giving a group's items another group: all of them in one transaction, or none.
///
/// The group is part of a row's primary key, and so of the data that both sealed parts are bound to. Every row is
/// therefore opened and sealed again, and sealed keys are bound again in the enclave. Sealing needs the classes open
/// and nobody's consent. An item whose value its user guards opens for its own programs alone and is a conflict: those
/// programs move it with SecItemUpdate.
extension ItemWriter {
    /// Moves items; the report says how many, or what kept all of them where they were.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while a class is closed; `errSecDuplicateItem` (`store.conflict`) for a
    ///   new name that is taken; what SQLite and the enclave say.
    func move(_ move: GroupMove, by deadline: Deadline) throws(Refusal) -> MoveReport {
        var report = MoveReport()
        let classes = move.itemClass.map { [$0] } ?? ItemClass.stored
        sealer.forgetClosedKeys()
        store.owner = nil
        do throws(Refusal) {
            try store.transaction(by: deadline) { () throws(Refusal) in
                if move.isRename { try requireFree(move.to) }
                for itemClass in classes { try self.move(itemClass, move, by: deadline, &report) }
                guard report.conflictCount == 0 else { throw .moveConflicts }
                if move.isRename { try renameRecord(of: move.from, to: move.to) }
            }
        } catch {
            guard report.conflictCount > 0, error == .moveConflicts else { throw error }
            report.moved = 0
        }
        return report
    }

    private func requireFree(_ group: String) throws(Refusal) {
        let digest = try store.digester.group(group)
        for itemClass in ItemClass.stored where try store.countItems(of: digest, in: itemClass) > 0 {
            throw Refusal(
                .duplicateItem, .conflict, group, "The group \"\(group)\" has items already.",
                do: "Move the items instead (security move-items), or choose another name.")
        }
    }

    /// Rows that come while they are moved, such as tombstones, have larger numbers and are not looked at.
    private func move(
        _ itemClass: ItemClass, _ move: GroupMove, by deadline: Deadline, _ report: inout MoveReport
    ) throws(Refusal) {
        let group = try store.digester.group(move.from)
        let last = try store.lastRow(of: itemClass)
        var next: Int64 = 0
        while true {
            let batch = RowBatch()
            try store.rows(of: group, in: itemClass, after: next, upTo: last) { batch.append($0) }
            guard let end = batch.rows.last else { return }
            try deadline.check()
            try sealer.unwrapKeys(of: batch)
            for index in batch.rows.indices { try self.move(index, in: batch, as: itemClass, to: move.to, &report) }
            next = end.id
        }
    }

    private func move(
        _ index: Int, in batch: RowBatch, as itemClass: ItemClass, to group: String, _ report: inout MoveReport
    ) throws(Refusal) {
        let row = batch.rows[index]
        if let rule = try openKey(index, in: batch) {
            let item = try open(index, in: batch, as: itemClass, withValue: false)
            return report.note(.init(itemClass: itemClass, rule: rule, name: item?.displayName ?? ""))
        }
        guard let item = try open(index, in: batch, as: itemClass, withValue: !row.isTombstone) else {
            return report.damaged += 1
        }
        if row.isTombstone { return try repeatTombstone(item, in: group) }
        do throws(Refusal) { try move(item, at: row.id, to: group) } catch {
            guard error.rule == .duplicate else { throw error }
            return report.note(.init(itemClass: itemClass, rule: .duplicate, name: item.displayName))
        }
        // Earlier versions are sealed for the group that the item has left.
        try forgetVersions(ofRow: index, in: batch, as: itemClass)
        report.moved += 1
    }

    /// Puts in the key of a row that asks nobody; the rule that keeps any other closed.
    private func openKey(_ index: Int, in batch: RowBatch) throws(Refusal) -> Refusal.Rule? {
        let guarded: GuardedRow?
        do throws(ItemSealer.Failure) { guarded = try batch.guarded(index) } catch { return nil }
        guard let guarded else { return nil }
        if AccessControl.asksTheUser(guarded.flags) { return .needsUser }
        do throws(Refusal) {
            batch.open(
                index,
                with: try sealer.enclave.unwrapGuardedRowKey(
                    guarded.wrappedKey, row: guarded.uuid, for: guarded.accessibility, in: nil))
        } catch { if error.status != .decode { throw error } }
        return nil
    }

    private func move(_ old: PlainItem, at id: Int64, to group: String) throws(Refusal) {
        var new = old
        new.attributes[.accessGroup] = .string(group)
        new.attributes[.modificationDate] = .date(old.nextModificationDate)
        // Nothing but the group of a sealed key changes, so nobody is asked and no demand is lost.
        try settleKey(of: &new, isNew: false, past: plainGate, isAnchored: true, .fail)
        try put(try seal(new, past: plainGate, .fail), at: id)
        // The other devices know the item by its old group (rule access-groups.move.tombstone).
        if old.isSynchronizable { try leaveTombstone(of: old, at: nil) }
    }

    /// Deleted items stay deleted under the new name too, for devices that have moved the items themselves.
    private func repeatTombstone(_ tombstone: PlainItem, in group: String) throws(Refusal) {
        var copy = tombstone
        copy.attributes[.accessGroup] = .string(group)
        do throws(Refusal) { try leaveTombstone(of: copy, at: nil) } catch {
            // Where an item lives, or has died before, nothing is to be told.
            guard error.rule == .duplicate else { throw error }
        }
    }
}

extension Refusal {
    /// Undoes the transaction; the report says why.
    fileprivate static let moveConflicts = Refusal(
        .duplicateItem, .conflict, "agrp", "Some items cannot be moved.", do: "See which.")
}
