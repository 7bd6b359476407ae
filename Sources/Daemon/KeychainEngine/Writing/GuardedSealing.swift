import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Items whose secret key the user guards (rule access-control.item.bound): what their access control demands is bound
/// to it in the enclave.
extension WriteCommand {
    /// Seals an item; the gate collects what it lacks of the user.
    func seal(_ item: PlainItem, with prepared: RowKey? = nil) throws(Refusal) -> NewRow {
        do throws(Refusal) {
            return try sealer.seal(item, with: prepared, in: gate.context, for: store)
        } catch {
            guard error.status == .authNeeded else { throw error }
            // The maker of an item need not authenticate; only its application password can be missing (rule
            // access-control.add.free).
            let flags = item.guardFlags & AccessConstraint.applicationPassword
            let missing = ItemGuard(identifier: item.uuid, flags: flags)
            try gate.addMissing(error, missing, ui) { item.displayName }
            throw error
        }
    }

    /// Puts in the keys of the guarded rows, for all of which the user is asked at once; nothing is changed before.
    func openGuarded(in batch: RowBatch) throws(Refusal) {
        try setGuardedKeys(in: batch)
        try gate.throwIfMissing()
    }

    /// Puts in the keys of the guarded rows that open. The gate collects the others, for its `throwIfMissing()`.
    func setGuardedKeys(in batch: RowBatch) throws(Refusal) {
        for row in batch where !gate.isFull {
            let guarded: GuardedRow?
            do throws(ItemSealer.Failure) { guarded = try row.guarded() } catch { continue }
            guard let guarded, let item = try writer.decryptedItem(of: row, withValue: false) else { continue }
            do throws(Refusal) {
                let key = try gate.unwrapKey(of: guarded, ui, isAnchored: isAnchored, name: { item.displayName })
                if let key { row.key.set(key) }
            } catch { if error.status != .decode { throw error } }
        }
    }
}
