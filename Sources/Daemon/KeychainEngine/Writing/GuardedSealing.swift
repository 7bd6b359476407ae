import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire

/// Items whose secret key the user guards (rule access-control.item.bound): what their access control demands is bound
/// to it in the enclave.
extension ItemWriter {
    /// Seals an item; what it lacks of the user is noted at the gate.
    func seal(
        _ item: PlainItem, with prepared: RowKey? = nil, past gate: AccessControlGate,
        _ ui: ItemRequest.AuthenticationUI
    ) throws(Refusal) -> NewRow {
        do throws(Refusal) {
            return try sealer.seal(item, with: prepared, in: gate.context, for: store)
        } catch {
            guard error.status == .authNeeded else { throw error }
            // The maker of an item need not authenticate; only its application password can be missing (rule
            // access-control.add.free).
            let flags = item.guardFlags & AccessConstraint.applicationPassword
            let missing = ItemGuard(identifier: item.uuid, flags: flags)
            try gate.note(error, missing, ui) { item.displayName }
            throw error
        }
    }
}
