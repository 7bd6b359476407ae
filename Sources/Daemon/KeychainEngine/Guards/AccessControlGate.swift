import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Decides about the guarded rows that one request meets. It opens their keys where the user has shown what they
/// require, and collects what the user still has to be asked for.
///
/// A request that came plainly has no context; it is refused at the first such row, and comes again with one. Keys that
/// were opened are kept while the request lasts: what the user showed opens each only once. Belongs to one thread at a
/// time.
final class AccessControlGate {
    /// In which context the user may have shown something; nil for a request that came plainly.
    let context: AuthenticationContext?
    /// The authorizations that the user has to be asked for before the request can be answered.
    private(set) var missing: [MissingAuthorization] = []
    private let enclave: any EnclaveService
    private var opened: [[UInt8]: SecretBytes] = [:]

    /// Something guarded that did not open.
    struct MissingAuthorization {
        let guarded: ItemGuard
        /// The item's name for a person.
        let name: String
        let refusal: Refusal
    }

    /// As many as the user is asked for at once: the task fits a message of the enclave's channel.
    static let most = 256

    init(_ enclave: any EnclaveService, _ context: AuthenticationContext? = nil) {
        (self.enclave, self.context) = (enclave, context)
    }

    /// No more can be asked for at once.
    var isFull: Bool { missing.count >= Self.most }

    /// Begins another attempt at the request.
    func begin() { missing = [] }

    /// The key of a guarded row; nil when the user has to be asked first, or the row is to be left out.
    ///
    /// - Parameters:
    ///   - ui: what the request says about asking.
    ///   - isAnchored: whether the program is one that rows for anchored programs open for.
    ///   - name: what a person calls the item.
    /// - Throws: `errSecAuthNeeded` for a plain request, `errSecInteractionNotAllowed` where nobody may be asked;
    ///   `errSecMissingEntitlement` (`access.not-anchored`); what the enclave says of a guard that cannot be met.
    func unwrapKey(
        of row: GuardedRow, _ ui: ItemRequest.AuthenticationUI, isAnchored: Bool, name: () -> String
    ) throws(Refusal) -> SecretBytes? {
        if !isAnchored, AccessConstraint(flags: row.flags).needsAnchor {
            if ui == .skip { return nil }
            throw .notAnchored
        }
        guard AccessControl.asksTheUser(row.flags) else {
            return try enclave.unwrapGuardedRowKey(
                row.wrappedKey, row: row.uuid, for: row.accessibility, in: context)
        }
        if let key = opened[row.wrappedKey] { return key }
        let refusal: Refusal
        do throws(Refusal) {
            guard let context else { throw .userNeeded(row.flags) }
            let key = try enclave.unwrapGuardedRowKey(
                row.wrappedKey, row: row.uuid, for: row.accessibility, in: context)
            opened[row.wrappedKey] = key
            return key
        } catch {
            guard error.status == .authNeeded else { throw error }
            refusal = error
        }
        if ui == .skip { return nil }
        try addMissing(refusal, ItemGuard(identifier: row.uuid, flags: row.flags), ui, name: name)
        return nil
    }

    /// Notes that something guarded did not open, or refuses the request for it.
    ///
    /// - Throws: `errSecAuthNeeded` for a plain request, `errSecInteractionNotAllowed` where nobody may be asked.
    func addMissing(
        _ refusal: Refusal, _ guarded: ItemGuard, _ ui: ItemRequest.AuthenticationUI, name: () -> String
    ) throws(Refusal) {
        if ui == .fail { throw refusal.forbiddenToAsk }
        guard context != nil else { throw refusal }
        missing.append(MissingAuthorization(guarded: guarded, name: name(), refusal: refusal))
    }

    /// Refuses a request that met something the user has to be asked for.
    ///
    /// - Throws: `errSecAuthNeeded`.
    func throwIfMissing() throws(Refusal) { if let missing = missing.first { throw missing.refusal } }
}

extension Refusal {
    /// The user has to be asked before something with these flags is opened. Between engine and client only.
    static func userNeeded(_ flags: UInt64) -> Refusal {
        let control = AccessConstraint(flags: flags)
        guard control.demands.isEmpty, control.needsPassword else {
            return Refusal(
                .authNeeded, .needsUser, "accc", "The item opens only after the user has authenticated.",
                do: "Let the user be asked, or give an LAContext that was evaluated (kSecUseAuthenticationContext).")
        }
        return Refusal(
            .authNeeded, .needsPassword, "accc", "The item opens only with its application password.",
            do: "Set it in an LAContext (setCredential), and give that as kSecUseAuthenticationContext.")
    }
}
