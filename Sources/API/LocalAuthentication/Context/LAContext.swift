private import LinuxSystem
package import Security

/// Asks the owner of the device to authenticate, on behalf of a program.
///
/// ```swift
/// let context = LAContext()
/// guard try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to open your notes") else {
/// return }
/// ```
///
/// Neither this class nor the program decides anything: the enclave asks the user through a process of its own, and
/// keeps what he has shown under an identifier that only this object knows, for this program and for five minutes. An
/// evaluation by itself protects nothing (S-72): what is to be protected is guarded by an access control, and a context
/// that was evaluated is passed with `kSecUseAuthenticationContext`, which spares the second prompt.
///
/// A context lives until its evaluations are answered, also when the program has let go of it; when it goes, what was
/// shown in it is forgotten, as after ``invalidate()``.
///
/// Functions of Objective-C may be called without a look at what they return; so may these.
///
/// Source: semantics G.2. A class open for subclassing cannot prove itself `Sendable`; this one's state is behind a
/// mutex.
open class LAContext: NSObject, @unchecked Sendable {
    private let core = ContextCore()

    /// Makes a context in which nobody has authenticated.
    public override init() {}

    deinit { core.invalidate() }

    // MARK: - Evaluation

    /// Returns whether a policy could be evaluated now; asks nobody.
    ///
    /// Afterwards ``biometryType`` and ``domainState`` say what the device has. It may change at any time: evaluate the
    /// policy and look at its error rather than deciding by this.
    ///
    /// - Parameters:
    ///   - policy: what is to be evaluated.
    ///   - error: receives, with false, an `LAError`: `passcodeNotSet`, `biometryNotAvailable`, `biometryNotEnrolled`,
    ///     `biometryLockout`, `companionNotAvailable`; `invalidContext` after ``invalidate()``; `systemCancel` when no keychain
    ///     can be reached.
    @discardableResult
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        do throws(LAError) {
            try core.check(policy)
            return true
        } catch let failure {
            unsafe error?.pointee = failure._nsError
            return false
        }
    }

    /// Evaluates a policy: asks the user, unless he has shown enough in this context within the last minutes.
    ///
    /// - Parameters:
    ///   - policy: what is to be evaluated.
    ///   - localizedReason: what the user reads; not empty.
    ///   - reply: called once, on a queue of the module's own, with true, or with false and an `LAError`: those of
    ///     ``canEvaluatePolicy(_:error:)``; `authenticationFailed` (also for an empty reason, where Apple raises an exception),
    ///     `userCancel`, `userFallback`; `systemCancel` when the user did not answer in time; `notInteractive` when he may not
    ///     be asked or cannot be reached; `appCancel` when the context was invalidated meanwhile.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        core.start(Evaluation(.policy(policy), reason: localizedReason, reply: reply), for: self)
    }

    /// Evaluates a policy, as the function with a reply does.
    ///
    /// - Returns: true.
    /// - Throws: the `LAError` that the reply would get.
    @discardableResult
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        try await awaiting { done in
            evaluatePolicy(policy, localizedReason: localizedReason) { done(Self.result($0, $1)) }
        }
    }

    /// Evaluates an access control: asks the user for what using an item or a key guarded by it will take.
    ///
    /// Adding an item and making a key take nothing but an application password, which is asked for twice.
    ///
    /// - Parameters:
    ///   - accessControl: the access control of the item.
    ///   - operation: what the item is to be used for.
    ///   - localizedReason: what the user reads; not empty.
    ///   - reply: called once, as by ``evaluatePolicy(_:localizedReason:reply:)``.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let subject = Evaluation.Subject.control(flags: UInt64(accessControl.flags.rawValue), operation.guarded)
        core.start(Evaluation(subject, reason: localizedReason, reply: reply), for: self)
    }

    /// Evaluates an access control, as the function with a reply does.
    ///
    /// - Returns: true.
    /// - Throws: the `LAError` that the reply would get.
    @discardableResult
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
    ) async throws -> Bool {
        try await awaiting { done in
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason) {
                done(Self.result($0, $1))
            }
        }
    }

    /// Ends the context for good: evaluations under way fail with `appCancel`, and their prompt goes away; whatever is
    /// asked afterwards fails with `invalidContext`. What the user has shown and a credential that was set are
    /// forgotten.
    open func invalidate() { core.invalidate() }

    // MARK: - Credentials

    /// Gives the context the password of items made with `.applicationPassword` (S-84), so that the user is not asked
    /// for it.
    ///
    /// It is kept in locked memory and handed to the enclave alone, with requests that the context is passed to.
    ///
    /// - Parameters:
    ///   - credential: the password, or nil to take it away.
    ///   - type: `applicationPassword`; this system reads no smart cards.
    /// - Returns: whether it was taken: not when it is empty, for another type, or after ``invalidate()``.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        guard type == .applicationPassword, !core.isInvalidated, credential?.isEmpty != true else { return false }
        core.setPassword(credential.map { SecretBytes(copying: $0.span) })
        return true
    }

    /// Returns whether a credential was set.
    @discardableResult
    open func isCredentialSet(_ type: LACredentialType) -> Bool { type == .applicationPassword && core.hasPassword }

    // MARK: - Results

    /// The device's biometry: `touchID` for any fingerprint reader, none before ``canEvaluatePolicy(_:error:)`` was
    /// called.
    open var biometryType: LABiometryType { domainState.biometry.biometryType }

    /// 32 bytes that change whenever a finger comes or goes; nil before biometry was found ready or matched.
    open var evaluatedPolicyDomainState: Data? {
        let enrolment = core.state.withLock { $0.enrolment }
        return enrolment.isEmpty ? nil : Data(enrolment)
    }

    /// What the last look at the device has shown; nothing before ``canEvaluatePolicy(_:error:)`` or an evaluation.
    open var domainState: LADomainState { LADomainState(core.biometry) }

    // MARK: - Settings

    /// What the user reads where a keychain operation with this context gives no reason of its own (S-42).
    open var localizedReason: String {
        get { core.settings.reason }
        set { core.change { $0.reason = newValue } }
    }

    /// The title of the alternative to biometry; nil for the usual one, empty for no alternative.
    open var localizedFallbackTitle: String? {
        get { core.settings.fallbackTitle }
        set { core.change { $0.fallbackTitle = newValue } }
    }

    /// The title of cancelling; nil or empty for the usual one.
    open var localizedCancelTitle: String? {
        get { core.settings.cancelTitle }
        set { core.change { $0.cancelTitle = newValue } }
    }

    /// For how many seconds an unlock of the device by biometry counts; 0, the default, for not at all.
    ///
    /// It never does here: this keychain is unlocked by its passcode, never by a finger, so there is no such unlock.
    /// The value is kept as it was set.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { core.settings.reuseDuration }
        set { core.change { $0.reuseDuration = newValue } }
    }

    /// Whether asking the user is forbidden; false unless set. Evaluations that would have to ask fail with
    /// `notInteractive`, keychain operations with `errSecInteractionNotAllowed`.
    open var interactionNotAllowed: Bool {
        get { core.settings.forbidsInteraction }
        set { core.change { $0.forbidsInteraction = newValue } }
    }

    /// After how many failures of biometry to give up; without effect, on Apple systems too.
    open var maxBiometryFailures: NSNumber? {
        get { core.settings.maxBiometryFailures }
        set { core.change { $0.maxBiometryFailures = newValue } }
    }
}

extension LAContext: AuthenticationContextSource {
    /// The context as the functions of `Security` take it; no subclass has a say in it.
    package var givenContext: GivenContext { core.given }
}

extension LAContext {
    private static func result(_ isMet: Bool, _ error: (any Error)?) -> Result<Bool, any Error> {
        if let error { return .failure(error) }
        return .success(isMet)
    }
}
