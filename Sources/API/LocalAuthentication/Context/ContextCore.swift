internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import Security

/// What is behind an `LAContext`: its identifier, under which the enclave keeps what the user has shown, its settings,
/// and the evaluations that are under way.
///
/// The invariant: once a context was invalidated, it starts nothing any more, every evaluation has ended or is about
/// to, and the enclave has forgotten it or is about to.
final class ContextCore: Sendable {
    /// 16 random bytes. Only this object and the keychain know them.
    let identifier = Randomness.bytes(AuthenticationContext.identifierBytes)
    let state = Lock(State())

    struct State {
        var settings = ContextSettings()
        var isInvalidated = false
        /// The application password; empty when one was taken away that the enclave may still have.
        var password: SecretBytes?
        /// The device's biometry when it was last looked at; nil when it was not.
        var biometry: BiometryStatus?
        /// What `evaluatedPolicyDomainState` says.
        var enrolment: [UInt8] = []
        var underWay: [ObjectIdentifier: Evaluation] = [:]
        /// The keychain that knows the context; nil for none.
        var keychain: (any KeychainConnection)?
    }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// The device's biometry as far as it was looked at.
    var biometry: BiometryStatus { state.withLock { $0.biometry } ?? .none }

    // MARK: - Evaluation

    /// Starts an evaluation; its reply comes later, from another thread.
    ///
    /// - Parameter owner: kept until then, so that a context nobody else holds on to is there for the answer.
    func start(_ evaluation: Evaluation, for owner: LAContext) {
        let task = KeychainTask()
        let starts = state.withLock { state in
            if !state.isInvalidated { state.underWay[ObjectIdentifier(evaluation)] = evaluation }
            return !state.isInvalidated
        }
        guard starts else { return task.run { evaluation.end(.invalidated) } }
        task.run { [self] in
            let failure = outcome(of: evaluation)
            let isOver = state.withLock { state in
                state.underWay[ObjectIdentifier(evaluation)] = nil
                return state.isInvalidated
            }
            // What the user showed after the end of the context is of no use to anybody.
            if isOver { forget() }
            withExtendedLifetime(owner) { evaluation.end(isOver ? .cancelledByProgram : failure) }
        }
    }

    private func outcome(of evaluation: Evaluation) -> LAError? {
        if evaluation.reason.isEmpty { return .reasonMissing }
        do throws(LAError) {
            switch evaluation.subject {
            case .policy(let policy): try check(policy)
            case .control(let flags, let operation):
                guard operation.asks(for: flags) else { return nil }
                try check(AccessConstraint(flags: flags))
            }
            if isInvalidated { throw .cancelledByProgram }
            try ask(evaluation)
            return nil
        } catch { return error }
    }

    private func ask(_ evaluation: Evaluation) throws(LAError) {
        let password = evaluation.subject.needsPassword ? state.withLock { $0.password } : nil
        let asking = try refusing { () throws(Refusal) in
            Asking(context: identifier, password: password, prompt: try prompt(evaluation.reason))
        }
        let request = AuthenticationRequest.evaluate(
            evaluation.subject.purpose, context: identifier, prompt: asking.prompt)
        guard case .evaluated(let result) = try send(request, asking) else { throw .lacking(.authenticationFailed) }
        guard !result.enrolment.isEmpty else { return }
        state.withLock { state in
            state.enrolment = result.enrolment
            state.biometry = BiometryStatus(state: .ready, enrolment: result.enrolment)
        }
    }

    // MARK: - What the device can do

    /// Whether a policy could be evaluated now.
    ///
    /// - Throws: what stands against it.
    func check(_ policy: LAPolicy) throws(LAError) {
        if isInvalidated { throw .invalidated }
        let device = try capabilities()
        if let obstacle = policy.obstacle(device) { throw obstacle }
        if policy.isBiometric { state.withLock { $0.enrolment = device.biometry.enrolment } }
    }

    /// Whether what an access control demands could be shown now.
    ///
    /// - Throws: what stands against it.
    private func check(_ constraint: AccessConstraint) throws(LAError) {
        if constraint.demands.isEmpty { return }
        if let obstacle = constraint.obstacle(try capabilities()) { throw obstacle }
    }

    /// Asks the device, and keeps what it says of its biometry.
    private func capabilities() throws(LAError) -> AuthenticationCapabilities {
        guard case .capabilities(let device) = try send(.capabilities) else { throw .lacking(.authenticationFailed) }
        state.withLock { $0.biometry = device.biometry }
        return device
    }

    /// Sends a request to the keychain of the current task, which from now on knows the context.
    private func send(
        _ request: AuthenticationRequest, _ asking: Asking? = nil
    ) throws(LAError) -> AuthenticationReply {
        try refusing { () throws(Refusal) in
            let keychain = try KeychainSession.current()
            state.withLock { $0.keychain = keychain }
            let password = try asking?.passwordFile()
            return try keychain.authentication(request, descriptors: password.map { [$0] } ?? [])
        }
    }
}

/// Makes an `LAError` of what the keychain refuses.
private func refusing<Value>(_ body: () throws(Refusal) -> Value) throws(LAError) -> Value {
    do throws(Refusal) { return try body() } catch { throw LAError(error) }
}
