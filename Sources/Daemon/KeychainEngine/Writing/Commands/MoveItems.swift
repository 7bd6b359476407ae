import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Gives a group's items another group: all of them in one transaction, or none.
///
/// The group is part of a row's primary key, and so of the data that both sealed parts are bound to. Every row is
/// therefore opened and sealed again, and sealed keys are bound again in the enclave. Sealing needs the classes open
/// and nobody's consent. An item whose value its user guards opens for its own programs alone and is a conflict: those
/// programs move it with SecItemUpdate.
struct MoveItems: WriteCommand {
    let move: GroupMove
    let writer: ItemWriter
    let deadline: Deadline
    /// Items whose place is taken in the new group stay where they are, and keep no others back.
    var leavesTwins = false

    // Nothing but the group of a sealed key changes, so nobody is asked and no demand is lost.
    var gate: AccessControlGate { writer.plainGate }
    var isAnchored: Bool { true }
    var ui: ItemRequest.AuthenticationUI { .fail }

    /// Moves the items; the report says how many, or what kept all of them where they were.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while a class is closed; `errSecDuplicateItem` (`store.conflict`) for a
    ///   new name that is taken; what SQLite and the enclave say.
    func run() throws(Refusal) -> MoveReport {
        var report = MoveReport()
        let classes = move.itemClass.map { [$0] } ?? ItemClass.stored
        sealer.forgetClosedKeys()
        store.owner = nil
        do throws(Refusal) {
            try store.transaction(by: deadline) { () throws(Refusal) in
                if move.isRename { try requireFree(move.to) }
                for itemClass in classes { try moveRows(of: itemClass, &report) }
                guard report.conflictCount == 0 else { throw .moveConflicts }
                if move.isRename { try GroupRecords(writer: writer).rename(move.from, to: move.to) }
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
                .param, .conflict, group, "The group \"\(group)\" has items already.",
                do: "Move the items instead (security move-items), or choose another name.")
        }
    }

    /// Rows that come while they are moved, such as tombstones, have larger numbers and are not looked at.
    private func moveRows(of itemClass: ItemClass, _ report: inout MoveReport) throws(Refusal) {
        let group = try store.digester.group(move.from)
        let last = try store.lastRow(of: itemClass)
        var next: Int64 = 0
        while true {
            let batch = RowBatch()
            try store.rows(of: group, in: itemClass, after: next, upTo: last) { batch.append($0) }
            guard let end = batch.last else { return }
            try deadline.check()
            try batch.keys.unwrap(by: sealer.enclave)
            for row in batch { try moveItem(in: row, &report) }
            next = end.id
        }
    }

    private func moveItem(in row: BatchRow, _ report: inout MoveReport) throws(Refusal) {
        if let rule = try setKey(of: row) {
            let item = try writer.decryptedItem(of: row, withValue: false)
            return report.note(.init(itemClass: row.itemClass, rule: rule, name: item?.displayName ?? ""))
        }
        guard let item = try writer.decryptedItem(of: row, withValue: !row.isTombstone) else {
            return report.damaged += 1
        }
        if row.isTombstone { return try repeatTombstone(item) }
        do throws(Refusal) { try put(item, at: row.id) } catch {
            guard error.rule == .duplicate else { throw error }
            if leavesTwins { return }
            return report.note(.init(itemClass: row.itemClass, rule: .duplicate, name: item.displayName))
        }
        // Earlier versions are sealed for the group that the item has left.
        try store.forgetVersions(of: row)
        report.moved += 1
    }

    /// Puts in the key of a row that asks nobody; the rule that keeps any other closed.
    private func setKey(of row: BatchRow) throws(Refusal) -> Refusal.Rule? {
        let guarded: GuardedRow?
        do throws(ItemSealer.Failure) { guarded = try row.guarded() } catch { return nil }
        guard let guarded else { return nil }
        if AccessControl.asksTheUser(guarded.flags) { return .needsUser }
        do throws(Refusal) {
            row.key.set(
                try sealer.enclave.unwrapGuardedRowKey(
                    guarded.wrappedKey, row: guarded.uuid, for: guarded.accessibility, in: nil))
        } catch { if error.status != .decode { throw error } }
        return nil
    }

    private func put(_ old: PlainItem, at id: Int64) throws(Refusal) {
        var new = old
        new.attributes[.accessGroup] = .string(move.to)
        new.attributes[.modificationDate] = .date(old.nextModificationDate)
        try settleKey(of: &new, isNew: false)
        let row = try seal(new)
        try writer.put(row, at: id)
        // The other machines know the item by its old group (rule access-groups.move.tombstone).
        guard writer.isShared(old.isSynchronizable, old.accessibility) else { return }
        try writer.tellRename(of: old, try store.digester.primaryKey(of: old.itemClass, old.encoded()), to: row)
    }

    /// Deleted items stay deleted under the new name too, for machines that have moved the items themselves.
    private func repeatTombstone(_ tombstone: PlainItem) throws(Refusal) {
        guard writer.isShared(tombstone.isSynchronizable, tombstone.accessibility) else { return }
        var copy = tombstone
        copy.attributes[.accessGroup] = .string(move.to)
        do throws(Refusal) { try writer.leaveTombstone(of: copy, at: nil) } catch {
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
