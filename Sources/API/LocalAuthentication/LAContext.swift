private import LinuxSystem

/// Asks the owner of the device to authenticate, on behalf of a program.
///
/// **No user can be asked in this version, so everything fails closed**: no policy can be evaluated, every evaluation ends
/// with an error, no credential is accepted. Programs compile, run, and take the path they have for a device without
/// biometry. Properties can be set and read, and have no effect.
///
/// A class open for subclassing cannot prove itself `Sendable`; this one's state is behind a mutex.
open class LAContext: NSObject, @unchecked Sendable {
    private struct Settings {
        var isInvalidated = false
        var localizedReason = ""
        var localizedFallbackTitle: String?
        var localizedCancelTitle: String?
        var reuseDuration: TimeInterval = 0
        var interactionNotAllowed = false
        var maxBiometryFailures: NSNumber?
    }

    private let settings = Lock(Settings())
    private static let replyQueue = DispatchQueue(label: "LocalAuthentication.reply")

    /// Makes a context in which nobody has authenticated.
    public override init() {}

    // MARK: - Evaluation

    /// Returns whether a policy could be evaluated: false in this version.
    ///
    /// - Parameters:
    ///   - policy: what is to be evaluated.
    ///   - error: receives an `LAError` that says what is lacking.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        let code = isInvalidated ? .invalidContext : policy.lackingCode
        unsafe error?.pointee = code.explained._nsError
        return false
    }

    /// Evaluates a policy: fails in this version.
    ///
    /// - Parameters:
    ///   - policy: what is to be evaluated.
    ///   - localizedReason: what the user would read.
    ///   - reply: called once, on a queue of the module's own, with false and an `LAError`: `notInteractive`, or
    ///     `invalidContext` after `invalidate()`.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        refuse(reply)
    }

    /// Evaluates a policy: throws in this version.
    ///
    /// - Throws: `LAError`: `notInteractive`, or `invalidContext` after `invalidate()`.
    open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        throw refusal
    }

    /// Evaluates an item's access control: fails in this version.
    ///
    /// - Parameters:
    ///   - accessControl: the access control of the item.
    ///   - operation: what the item is to be used for.
    ///   - localizedReason: what the user would read.
    ///   - reply: called once, as by `evaluatePolicy`.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        refuse(reply)
    }

    /// Evaluates an item's access control: throws in this version.
    ///
    /// - Throws: `LAError`: `notInteractive`, or `invalidContext` after `invalidate()`.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
    ) async throws -> Bool {
        throw refusal
    }

    /// Ends the context for good: whatever it is asked afterwards fails with `invalidContext`.
    open func invalidate() {
        settings.withLock { $0.isInvalidated = true }
    }

    // MARK: - Credentials

    /// Gives the context a secret: not accepted in this version.
    ///
    /// - Parameters:
    ///   - credential: the secret, or nil to take one away.
    ///   - type: the kind of secret.
    /// - Returns: false for a secret; true for nil, as there is never one to take away.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        credential == nil
    }

    /// Returns whether the context holds a secret: false in this version.
    open func isCredentialSet(_ type: LACredentialType) -> Bool { false }

    // MARK: - Results

    /// The device's biometry: none.
    open var biometryType: LABiometryType { .none }

    /// Bytes that change with the enrolments of the device's biometry: nil, as there is none.
    open var evaluatedPolicyDomainState: Data? { nil }

    // MARK: - Settings

    /// What the user reads where a keychain operation gives no reason of its own.
    open var localizedReason: String {
        get { settings.withLock { $0.localizedReason } }
        set { settings.withLock { $0.localizedReason = newValue } }
    }

    /// The title of the alternative to biometry; nil for the usual one, empty for no alternative.
    open var localizedFallbackTitle: String? {
        get { settings.withLock { $0.localizedFallbackTitle } }
        set { settings.withLock { $0.localizedFallbackTitle = newValue } }
    }

    /// The title of cancelling; nil for the usual one.
    open var localizedCancelTitle: String? {
        get { settings.withLock { $0.localizedCancelTitle } }
        set { settings.withLock { $0.localizedCancelTitle = newValue } }
    }

    /// For how many seconds an unlock of the device by biometry counts; 0, the default, for not at all.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { settings.withLock { $0.reuseDuration } }
        set { settings.withLock { $0.reuseDuration = newValue } }
    }

    /// Whether asking the user is forbidden; false unless set.
    open var interactionNotAllowed: Bool {
        get { settings.withLock { $0.interactionNotAllowed } }
        set { settings.withLock { $0.interactionNotAllowed = newValue } }
    }

    /// After how many failures of biometry to give up; without effect on Apple systems too.
    open var maxBiometryFailures: NSNumber? {
        get { settings.withLock { $0.maxBiometryFailures } }
        set { settings.withLock { $0.maxBiometryFailures = newValue } }
    }

    // MARK: - Refusal

    private var isInvalidated: Bool { settings.withLock { $0.isInvalidated } }

    private var refusal: LAError { (isInvalidated ? .invalidContext : LAError.Code.notInteractive).explained }

    private func refuse(_ reply: @escaping @Sendable (Bool, (any Error)?) -> Void) {
        let error = refusal
        Self.replyQueue.async { reply(false, error) }
    }
}

extension LAPolicy {
    /// What this version lacks for the policy.
    fileprivate var lackingCode: LAError.Code {
        switch self {
        case .deviceOwnerAuthentication: .passcodeNotSet
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            .biometryNotAvailable
        case .deviceOwnerAuthenticationWithCompanion, .deviceOwnerAuthenticationWithWristDetection:
            .companionNotAvailable
        }
    }
}

extension LAError.Code {
    /// The error with a sentence that says what is wrong and what to do.
    fileprivate var explained: LAError {
        LAError(self, userInfo: [NSLocalizedDescriptionKey: explanation])
    }

    private var explanation: String {
        switch self {
        case .invalidContext: "The context was invalidated. Make a new one."
        case .passcodeNotSet:
            "This version cannot check a passcode. Use items without an access control that needs one."
        case .biometryNotAvailable: "This device has no biometry. Offer the user another way."
        case .companionNotAvailable: "No paired device is supported. Offer the user another way."
        default: "This version cannot ask the user to authenticate. Use items that need no authentication."
        }
    }
}
