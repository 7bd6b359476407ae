import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemDelete` (rules items.delete.all, items.tombstone.left): what other machines have leaves a tombstone,
/// everything else is gone.
struct DeleteItems: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    func run() throws(Refusal) {
        let itemClass = try itemClass()
        if itemClass == .identity {
            try deleteIdentities()
        } else {
            for row in try writer.rows(of: authorized, as: itemClass, by: deadline, withKeys: false) { try remove(row) }
        }
        answer()
    }

    /// Deletes the certificates, and the keys that no other certificate refers to.
    private func deleteIdentities() throws(Refusal) {
        let (certificates, keys) = (RowBatch(), RowBatch())
        // A certificate may come with several keys, and a key with several certificates.
        var seen: (certificates: Set<Int64>, keys: Set<Int64>) = ([], [])
        let asked = AskedAttributes(authorized)
        try store.reader.selectIdentities(authorized, by: deadline) { (certificate, key) throws(Refusal) in
            guard try writer.isMeant(certificate, by: asked, half: .certificate),
                try writer.isMeant(key, by: asked, half: .key)
            else { return true }
            if seen.certificates.insert(certificate.id).inserted { certificates.append(certificate) }
            if seen.keys.insert(key.id).inserted { keys.append(key) }
            return true
        }
        guard !certificates.isEmpty else { throw .nothingFound(request) }
        for row in certificates { try remove(row) }
        for row in keys where try !store.reader.isReferenced(key: row.id) { try remove(row) }
    }

    /// Removes a row, or leaves a tombstone in its place.
    private func remove(_ row: BatchRow) throws(Refusal) {
        let isShared = writer.isShared(row.isSynchronizable, row.accessibility)
        // A machine that has not heard of the deletion would bring the item back (rule items.tombstone.without).
        if isShared, row.isTombstone { return }
        if request.leavesNoHistory {
            try store.forgetVersions(of: row)
        } else {
            try writer.keepVersion(row, .deleted, at: HistoryLimits.microseconds(Clock.secondsSinceReferenceDate))
        }
        guard isShared else { return try store.delete(row.id, from: row.itemClass) }
        guard let item = try writer.decryptedItem(of: row, withValue: false) else {
            return try store.quarantine(row.id, from: row.itemClass)
        }
        try writer.leaveTombstone(of: item, at: row.id)
    }
}
