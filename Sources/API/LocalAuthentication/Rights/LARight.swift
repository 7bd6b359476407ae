private import LinuxSystem

/// A permission that is granted when the user authenticates, until the program gives it back.
///
/// ```swift
/// let right = LARight(requirement: .biometry)
/// try await right.authorize(localizedReason: "to show the invoices")
/// ```
///
/// By itself a right tells the program whether to go on. A right that ``LARightStore`` has saved also guards a key and
/// a secret in the enclave.
///
/// Source: Apple, `LARight`; rule authentication.right.saved. A class open for subclassing cannot prove that it is
/// `Sendable`; a mutex guards the state of this one.
open class LARight: NSObject, @unchecked Sendable {
    /// The state of the authorization.
    public enum State: Int, Sendable {
        /// Nobody has tried to authorize the right.
        case unknown = 0
        /// The user is being asked.
        case authorizing = 1
        /// The right is granted.
        case authorized = 2
        /// The right was refused or given back, or its grant expired.
        case notAuthorized = 3
    }

    let requirement: LAAuthenticationRequirement
    let authorization = RightAuthorization()
    private let number = Lock(0)

    /// Makes a right that biometry or the passcode grants.
    public override convenience init() { self.init(requirement: .default) }

    /// Makes a right.
    ///
    /// - Parameter requirement: the required authentication.
    public init(requirement: LAAuthenticationRequirement) { self.requirement = requirement }

    /// The state of the authorization.
    open var state: State { authorization.state }

    /// A number that the program may set; 0 by default.
    open var tag: Int {
        get { number.withLock { $0 } }
        set { number.withLock { $0 = newValue } }
    }

    // MARK: - Authorization

    /// Asks the user for the required authentication, unless the right is still granted. Calls during the prompt wait
    /// for the same answer.
    ///
    /// - Parameters:
    ///   - localizedReason: the text that the user reads; not empty.
    ///   - completion: called once, on a queue of the module, with nil, or with the `LAError` of
    ///     ``LAContext/evaluatePolicy(_:localizedReason:reply:)``. It is `appCancel` when the right is given back
    ///     meanwhile, and `authenticationFailed` when other fingers are enrolled than the right knows.
    open func authorize(localizedReason: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        guard let context = authorization.begin(completion) else { return }
        context.evaluatePolicy(requirement.policy, localizedReason: localizedReason) { [self] isMet, error in
            let failure = error ?? (isMet ? confirm(context) : LAError.lacking(.authenticationFailed))
            authorization.end(context, failure, of: self)
        }
    }

    /// Authorizes the right, as the function with a completion handler does.
    ///
    /// - Throws: the `LAError` that the handler would get.
    open func authorize(localizedReason: String) async throws {
        try await awaiting { done in authorize(localizedReason: localizedReason) { done(.finished($0)) } }
    }

    /// Checks whether the right could be authorized now. It asks nobody.
    ///
    /// - Parameter completion: called once, on a queue of the module, with nil, or with the `LAError` of
    ///   ``LAContext/canEvaluatePolicy(_:error:)``.
    open func checkCanAuthorize(completion: @escaping @Sendable ((any Error)?) -> Void) {
        KeychainTask().run { [requirement] in
            var error: NSError?
            let can = unsafe LAContext().canEvaluatePolicy(requirement.policy, error: &error)
            completion(can ? nil : error.map { LAError(_nsError: $0) })
        }
    }

    /// Checks whether the right could be authorized now, as the function with a completion handler does.
    ///
    /// - Throws: the `LAError` that the handler would get.
    open func checkCanAuthorize() async throws {
        try await awaiting { done in checkCanAuthorize { done(.finished($0)) } }
    }

    /// Gives the right back. Its next use asks the user again.
    ///
    /// - Parameter completion: called once, on a queue of the module.
    open func deauthorize(completion: @escaping @Sendable () -> Void) {
        authorization.giveBack(self)
        KeychainTask().run(completion)
    }

    /// Gives the right back, as the function with a completion handler does.
    open func deauthorize() async {
        await withCheckedContinuation { continuation in deauthorize { continuation.resume() } }
    }

    /// Reports the new state of the right to the program.
    func announce(_ state: State) {
        switch state {
        case .authorized: NotificationCenter.default.post(name: .LARightDidBecomeAuthorized, object: self)
        case .notAuthorized: NotificationCenter.default.post(name: .LARightDidBecomeUnauthorized, object: self)
        case .unknown, .authorizing: break
        }
    }

    // MARK: - What else has to hold

    /// Checks what the evaluation of a policy does not: that the enrolled fingers are those the right knows.
    func confirm(_ context: LAContext) -> LAError? {
        guard requirement == .biometryCurrentSet else { return nil }
        return authorization.knows(context.evaluatedPolicyDomainState) ? nil : .otherFingers
    }
}

extension Result where Success == Void, Failure == any Error {
    static func finished(_ error: (any Error)?) -> Self { error.map { .failure($0) } ?? .success(()) }
}

extension LAError {
    static let otherFingers = LAError(
        .authenticationFailed, problem: "A finger was enrolled or removed since the right was made.",
        remedy: "Make and save a new right.")
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
    /// Posted by a right that was granted, which is its object, on the thread where that happened.
    public static let LARightDidBecomeAuthorized = Self("LARightDidBecomeAuthorizedNotification")
    /// Posted by a right that was refused, was given back or has expired, which is its object.
    public static let LARightDidBecomeUnauthorized = Self("LARightDidBecomeUnauthorizedNotification")
}
