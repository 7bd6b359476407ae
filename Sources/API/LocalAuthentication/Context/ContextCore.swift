internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import Security

/// The state of an `LAContext`: its identifier, its settings, and the evaluations under way. The enclave keeps what the
/// user has shown under the identifier.
///
/// The invariant: an invalidated context starts nothing. Every evaluation has ended or is about to end, and the enclave
/// has forgotten the context or is about to.
final class ContextCore: Sendable {
    /// 16 random bytes. Only this object and the keychain know them.
    let identifier = Randomness.bytes(AuthenticationContext.identifierBytes)
    let state = Lock(State())

    struct State {
        var settings = ContextSettings()
        var isInvalidated = false
        /// The application password; empty when the program removed one that the enclave may still have.
        var password: SecretBytes?
        /// The device's biometry at the last look; nil before the first look.
        var biometry: BiometryStatus?
        /// The value of `evaluatedPolicyDomainState`.
        var enrolment: [UInt8] = []
        var underWay: [ObjectIdentifier: Evaluation] = [:]
        /// The keychain that knows the context; nil for none.
        var keychain: (any KeychainConnection)?
    }

    var isInvalidated: Bool { state.withLock { $0.isInvalidated } }

    /// The device's biometry, as far as it is known.
    var biometry: BiometryStatus { state.withLock { $0.biometry } ?? .none }

    // MARK: - Evaluation

    /// Starts an evaluation. Another thread replies later.
    ///
    /// - Parameter owner: kept until the reply, so that a context without other references still gets the answer.
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
            // The context has ended, so nobody can use what the user showed.
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
    /// - Throws: the obstacle as an `LAError`.
    func check(_ policy: LAPolicy) throws(LAError) {
        if isInvalidated { throw .invalidated }
        let device = try capabilities()
        if let obstacle = policy.obstacle(device) { throw obstacle }
        if policy.isBiometric { state.withLock { $0.enrolment = device.biometry.enrolment } }
    }

    /// Whether the user could show now what an access control demands.
    ///
    /// - Throws: the obstacle as an `LAError`.
    private func check(_ constraint: AccessConstraint) throws(LAError) {
        if constraint.demands.isEmpty { return }
        if let obstacle = constraint.obstacle(try capabilities()) { throw obstacle }
    }

    /// Asks the device, and stores its biometry.
    private func capabilities() throws(LAError) -> AuthenticationCapabilities {
        guard case .capabilities(let device) = try send(.capabilities) else { throw .lacking(.authenticationFailed) }
        state.withLock { $0.biometry = device.biometry }
        return device
    }

    /// Sends a request to the keychain of the current task. The keychain knows the context from then on.
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

/// Makes an `LAError` of a refusal of the keychain.
private func refusing<Value>(_ body: () throws(Refusal) -> Value) throws(LAError) -> Value {
    do throws(Refusal) { return try body() } catch { throw LAError(error) }
}
