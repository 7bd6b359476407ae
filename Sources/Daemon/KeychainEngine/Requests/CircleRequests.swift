import EnclaveWire
import KeychainModel
import KeychainPolicy
package import KeychainWire
import LinuxSystem

/// Requests about the circle of machines.
extension KeychainEngine {
    /// The number that moves with every change of the circle that a carrier should hear of.
    package var circleEpoch: StateEpoch { circle.number }

    /// Has the circle's requests answered from now on; nil refuses them.
    package func serve(_ operations: (any CircleOperations)?) { circle.begin(operations) }

    /// Looks what became of the vault, after a request with a credential or a batch.
    ///
    /// - Parameter mayHaveOpened: whether records of the circle may have waited for it. A carrier must not hear of its
    ///   own requests: it would go round without end.
    func lookAtVault(mayHaveOpened: Bool = true) {
        exclusively { age.look(at: $0.store) }
        if mayHaveOpened { circle.number.advance() }
    }

    func sync(
        _ request: SyncRequest, _ files: [FileDescriptor], from caller: CallerIdentity
    ) throws(Refusal) -> SyncReply {
        guard let operations = circle.operations else { throw .noCircleHere }
        try AccessPolicy.requireCircle(caller, changes: request.isForTheCommand, daemonUser: CurrentProcess.user)
        return try operations.answer(request, files)
    }

    /// Changes the circle; its enclave asks its user.
    func change(
        _ change: CircleChange, from caller: CallerIdentity, asking prompt: Prompt,
        _ conversation: PromptCancellation, by deadline: Deadline
    ) throws(Refusal) -> SyncStatus? {
        guard let operations = circle.operations else { throw .noCircleHere }
        var entry = AuditLog.Entry(caller, change.logged, named: nil)
        defer { decisions.record(entry) }
        do throws(Refusal) {
            try AccessPolicy.requireCircle(caller, changes: true, daemonUser: CurrentProcess.user)
            let context = AuthenticationContext.fresh(for: try caller.digest())
            try conversation.begin(in: context)
            defer { try? enclave.invalidate(context) }
            let question = CircleQuestion(context: context, prompt: prompt.shown(by: caller))
            return try operations.change(change, asking: question, by: deadline)
        } catch {
            entry.end(in: error)
            throw error
        }
    }
}

extension DeviceRequest {
    /// Whether the files that come with it are those of a circle, and no credentials.
    var isOfCircle: Bool { if case .sync = self { true } else { false } }
}

extension SyncRequest {
    /// Whether it is a matter of the keychain's command. The others take and give what a transport sees.
    fileprivate var isForTheCommand: Bool {
        switch self {
        case .status, .pause, .invite, .seek, .recover, .known: true
        case .now, .positions, .take, .seen, .next, .committed, .discarded, .wait, .pairing: false
        }
    }
}

extension CircleChange {
    /// The log's name for it.
    fileprivate var logged: StaticString {
        switch self {
        case .begin: "begin circle"
        case .join: "join circle"
        case .add: "add machine"
        case .remove: "remove machine"
        case .leave: "leave circle"
        case .pair: "pair machines"
        case .recoveryKey: "make recovery key"
        case .recover: "recover circle"
        case .reset: "reset circle"
        }
    }
}

extension Refusal {
    /// Only a keychain that a daemon of its user's serves can belong to a circle.
    static let noCircleHere = Refusal(
        .notAvailable, .noCircle, "circle", "This keychain cannot belong to a circle of machines.",
        do: "Use the login keychain, served by its user's daemon.")
}
