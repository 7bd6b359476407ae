import KeychainModel
import KeychainStore
import KeychainWire

/// Items whose secret key the user guards (semantics D.5): what their access control demands is bound to it in the enclave.
extension ItemWriter {
    /// Seals an item; what it lacks of the user is noted at the gate.
    func seal(
        _ item: PlainItem, with prepared: RowKey? = nil, past gate: GuardGate, _ ui: ItemRequest.AuthenticationUI
    ) throws(Refusal) -> NewRow {
        do throws(Refusal) {
            return try sealer.seal(item, with: prepared, in: gate.context, for: store)
        } catch {
            guard error.status == .authNeeded else { throw error }
            // Whoever makes something need not show who he is; only its password can be lacking (S-86).
            let flags = item.guardFlags & AccessConstraint.applicationPassword
            let lacking = ItemGuard(identifier: item.uuid, flags: flags)
            try gate.note(error, lacking, ui) { item.displayName }
            throw error
        }
    }
}

extension PlainItem {
    /// What the item's value is guarded with, by its user or for anchored programs; 0 for nothing.
    ///
    /// A sealed key is guarded by itself, and may be found by anybody who may use it (S-41); so may the public half of a pair
    /// whose access control is about using the private one.
    var guardFlags: UInt64 {
        guard sealedKey == nil, let flags = accessFlags, AccessConstraint(flags: flags).isGuard else { return 0 }
        let isPublicHalf = itemClass == .key && attributes[.keyClass]?.number == 0
        return isPublicHalf && AccessConstraint(flags: flags).guardsKeyUse ? 0 : flags
    }

    /// What a person calls the item.
    var displayName: String { encoded().displayName }
}
