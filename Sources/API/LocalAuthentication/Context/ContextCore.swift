internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import Security

/// What is behind an `LAContext`: its identifier, under which the enclave keeps what the user has shown, its settings, and the
/// evaluations that are under way.
///
/// The invariant: once a context was invalidated, it starts nothing any more, every evaluation has ended or is about to, and
/// the enclave has forgotten it or is about to.
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
            state.withLock { _ = $0.underWay.removeValue(forKey: ObjectIdentifier(evaluation)) }
            // What the user showed after the end of the context is of no use to anybody.
            if isInvalidated { forget() }
            withExtendedLifetime(owner) { evaluation.end(failure) }
        }
    }

    private func outcome(of evaluation: Evaluation) -> LAError? {
        if evaluation.reason.isEmpty { return .reasonMissing }
        do throws(LAError) {
            switch evaluation.subject {
            case .policy(let policy): try check(policy)
            case .control(let flags, let operation):
                if try !asksAnything(flags, operation) { return nil }
            }
            if isInvalidated { throw .cancelledByProgram }
            try ask(evaluation)
            return nil
        } catch { return error.code == .biometryNotAvailable ? whyNoBiometry ?? error : error }
    }

    /// What exactly is lacking where biometry would have been needed.
    private var whyNoBiometry: LAError? { (try? capabilities())?.biometryObstacle.map { .lacking($0) } }

    private func ask(_ evaluation: Evaluation) throws(LAError) {
        let request = AuthenticationRequest.evaluate(
            evaluation.subject.purpose, context: identifier, prompt: prompt(evaluation.reason))
        let password = evaluation.subject.needsPassword ? state.withLock { $0.password } : nil
        guard case .evaluated(let result) = try send(request, password) else { throw .lacking(.authenticationFailed) }
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

    /// Asks the device, and keeps what it says of its biometry.
    func capabilities() throws(LAError) -> AuthenticationCapabilities {
        guard case .capabilities(let device) = try send(.capabilities) else { throw .lacking(.authenticationFailed) }
        state.withLock { $0.biometry = device.biometry }
        return device
    }

    /// Sends a request to the keychain of the current task, which from now on knows the context.
    private func send(
        _ request: AuthenticationRequest, _ password: SecretBytes? = nil
    ) throws(LAError) -> AuthenticationReply {
        do throws(Refusal) {
            let keychain = try KeychainSession.current()
            state.withLock { $0.keychain = keychain }
            return try keychain.authentication(request, descriptors: Self.files(password))
        } catch { throw LAError(error) }
    }

    /// The password as a memory file, which the daemon hands on without reading it.
    private static func files(_ password: SecretBytes?) throws(Refusal) -> [FileDescriptor] {
        guard let password else { return [] }
        do throws(SystemError) { return [try PasscodeFile.make(password)] } catch {
            throw Refusal(
                .allocate, .unavailable, "credential", "The password cannot be handed over: \(error).", do: "Try again."
            )
        }
    }
}
