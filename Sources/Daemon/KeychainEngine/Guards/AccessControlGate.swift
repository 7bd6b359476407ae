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
    /// The items that come back only in the user's presence, which the user has to be asked for.
    private(set) var absences: [MissingAuthorization] = []
    private let enclave: any EnclaveService
    private var opened: [[UInt8]: SecretBytes] = [:]
    /// Until when the user counts as present for an item.
    private var presences: [[UInt8]: Deadline] = [:]

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
    var isFull: Bool { missing.count + absences.count >= Self.most }

    /// The user has to be asked for something.
    var lacksUser: Bool { !missing.isEmpty || !absences.isEmpty }

    /// Begins another attempt at the request.
    func begin() { (missing, absences) = ([], []) }

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
    func throwIfMissing() throws(Refusal) { if let lack = missing.first ?? absences.first { throw lack.refusal } }

    // MARK: - Presence

    /// How long the user counts as present for one item and request: milliseconds. The attempt after the prompt may
    /// have to wait for other writes.
    static let presenceTime = 10_000

    /// Lets an item pass for which the user was present a moment ago, and notes any other.
    ///
    /// - Throws: as ``addMissing(_:_:_:name:)``.
    func requirePresence(
        for identifier: [UInt8], _ ui: ItemRequest.AuthenticationUI, name: () -> String
    ) throws(Refusal) {
        if let until = presences[identifier], !until.hasPassed { return }
        let refusal = Refusal.presenceNeeded
        if ui == .fail { throw refusal.forbiddenToAsk }
        guard context != nil else { throw refusal }
        let guarded = ItemGuard(identifier: identifier, flags: AccessConstraint.presence)
        absences.append(MissingAuthorization(guarded: guarded, name: name(), refusal: refusal))
    }

    /// The enclave has verified the user's presence for the items that lacked it.
    func confirmPresence() {
        let until = Deadline.after(milliseconds: Self.presenceTime)
        for absence in absences { presences[absence.guarded.identifier] = until }
    }
}

extension AccessConstraint {
    /// The flags that demand the user's presence.
    fileprivate static let presence = Demand.userPresence.rawValue
}

extension Refusal {
    /// The user has to want it that something deleted or changed comes back.
    fileprivate static let presenceNeeded = Refusal(
        .authNeeded, .needsUser, "version", "An earlier version of an item comes back only in its user's presence.",
        do: "Let the user be asked.")

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
