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
/// Neither this class nor the program decides anything. The enclave asks the user through a process of its own. It
/// keeps what the user has shown for five minutes, for this program and under an identifier that only this object
/// knows.
///
/// An evaluation by itself protects nothing. Guard an item with an access control, and pass the evaluated
/// context with `kSecUseAuthenticationContext`: the user is then not asked twice.
///
/// A context lives until its evaluations have their replies, even without other references. At its end the enclave
/// forgets what the user has shown, as after ``invalidate()``.
///
/// Objective-C lets callers ignore the results of its functions, and so do these.
///
/// Source: Apple, `LAContext`; rule authentication.context.members. A class open for subclassing cannot prove that it
/// is `Sendable`; a mutex guards the state of this one.
open class LAContext: NSObject, @unchecked Sendable {
    private let core = ContextCore()

    /// Makes a context in which nobody has authenticated.
    public override init() {}

    deinit { core.invalidate() }

    // MARK: - Evaluation

    /// Returns whether a policy could be evaluated now. It asks nobody.
    ///
    /// The call updates ``biometryType`` and ``domainState``. The device may change at any time, so evaluate the policy
    /// and look at its error instead of deciding by this call.
    ///
    /// - Parameters:
    ///   - policy: the policy to evaluate.
    ///   - error: receives an `LAError` when the result is false: `passcodeNotSet`, `biometryNotAvailable`,
    ///     `biometryNotEnrolled`, `biometryLockout` or `companionNotAvailable`. After ``invalidate()`` it is
    ///     `invalidContext`. It is `systemCancel` when no keychain can be reached.
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

    /// Evaluates a policy. It asks the user, unless they have shown enough in this context within the last five
    /// minutes.
    ///
    /// - Parameters:
    ///   - policy: the policy to evaluate.
    ///   - localizedReason: the text that the user reads; not empty.
    ///   - reply: called once, on a queue of the module, with true, or with false and an `LAError`. Its codes are those
    ///     of ``canEvaluatePolicy(_:error:)`` and the following: `authenticationFailed`, also for an empty reason,
    ///     where Apple raises an exception; `userCancel`; `userFallback`; `systemCancel` when the user does not answer
    ///     in time; `notInteractive` when the user must not or cannot be asked; `appCancel` when the context was
    ///     invalidated meanwhile.
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

    /// Evaluates an access control: asks the user for everything that the use of an item or key under it requires.
    ///
    /// Adding an item and making a key require only the application password, if there is one. The user then types it
    /// twice.
    ///
    /// - Parameters:
    ///   - accessControl: the access control of the item.
    ///   - operation: the use of the item.
    ///   - localizedReason: the text that the user reads; not empty.
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

    /// Ends the context for good. Evaluations under way fail with `appCancel`, and their prompt disappears. Later calls
    /// fail with `invalidContext`. The enclave forgets what the user has shown and a credential that was set.
    open func invalidate() { core.invalidate() }

    // MARK: - Credentials

    /// Gives the context the password of items made with `.applicationPassword`. The user is then not asked for
    /// it.
    ///
    /// The password stays in locked memory. Only the enclave gets it, with requests that use the context.
    ///
    /// - Parameters:
    ///   - credential: the password, or nil to remove it.
    ///   - type: `applicationPassword`; this system reads no smart cards.
    /// - Returns: true when the context took it; false for an empty password, another type, or after ``invalidate()``.
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

    /// The device's biometry: `touchID` for any fingerprint reader; none before the first call of
    /// ``canEvaluatePolicy(_:error:)``.
    open var biometryType: LABiometryType { domainState.biometry.biometryType }

    /// 32 bytes that change when a finger is enrolled or removed; nil until biometry was ready or matched.
    open var evaluatedPolicyDomainState: Data? {
        let enrolment = core.state.withLock { $0.enrolment }
        return enrolment.isEmpty ? nil : Data(enrolment)
    }

    /// The device's state at the last look; empty before ``canEvaluatePolicy(_:error:)`` or an evaluation.
    open var domainState: LADomainState { LADomainState(core.biometry) }

    // MARK: - Settings

    /// The text that the user reads when a keychain operation with this context has no reason of its own.
    open var localizedReason: String {
        get { core.settings.reason }
        set { core.change { $0.reason = newValue } }
    }

    /// The title of the alternative to biometry; nil for the usual one, empty for no alternative.
    open var localizedFallbackTitle: String? {
        get { core.settings.fallbackTitle }
        set { core.change { $0.fallbackTitle = newValue } }
    }

    /// The title of the cancel button; nil or empty for the usual one.
    open var localizedCancelTitle: String? {
        get { core.settings.cancelTitle }
        set { core.change { $0.cancelTitle = newValue } }
    }

    /// For how many seconds an unlock of the device by biometry counts. The default 0 means that it does not count.
    ///
    /// It never counts here: the passcode unlocks this keychain, never a finger. The property keeps the value that was
    /// set.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { core.settings.reuseDuration }
        set { core.change { $0.reuseDuration = newValue } }
    }

    /// Whether asking the user is forbidden; false by default. Evaluations that would have to ask fail with
    /// `notInteractive`, keychain operations with `errSecInteractionNotAllowed`.
    open var interactionNotAllowed: Bool {
        get { core.settings.forbidsInteraction }
        set { core.change { $0.forbidsInteraction = newValue } }
    }

    /// After how many failures of biometry to give up; without effect, as on Apple systems.
    open var maxBiometryFailures: NSNumber? {
        get { core.settings.maxBiometryFailures }
        set { core.change { $0.maxBiometryFailures = newValue } }
    }
}

extension LAContext: AuthenticationContextSource {
    /// The context as the functions of `Security` take it; subclasses cannot change it.
    package var givenContext: GivenContext { core.given }
}

extension LAContext {
    private static func result(_ isMet: Bool, _ error: (any Error)?) -> Result<Bool, any Error> {
        if let error { return .failure(error) }
        return .success(isMet)
    }
}
