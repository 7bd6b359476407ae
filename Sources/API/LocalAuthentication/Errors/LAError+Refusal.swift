internal import KeychainModel
internal import Security

/// The `LAError` for a refusal of the keychain: chosen by its rule, otherwise by its status (rule
/// authentication.policy.errors).
extension LAError {
    init(_ refusal: Refusal) {
        let code = Self.byRule[refusal.rule] ?? Self.byStatus[refusal.status] ?? .authenticationFailed
        self.init(code, problem: refusal.problem, remedy: refusal.remedy, cause: SecItemError(refusal))
    }

    /// An error that this module finds itself.
    ///
    /// - Parameter cause: the refusal of the keychain, under `NSUnderlyingErrorKey`.
    init(_ code: Code, problem: String, remedy: String, cause: SecItemError? = nil) {
        var userInfo: [String: Any] = [
            NSLocalizedDescriptionKey: "\(problem) \(remedy)", NSLocalizedFailureReasonErrorKey: problem,
            NSLocalizedRecoverySuggestionErrorKey: remedy,
        ]
        userInfo[NSUnderlyingErrorKey] = cause
        self.init(code, userInfo: userInfo)
    }

    private static let byRule: [Refusal.Rule: Code] = [
        .userCanceled: .userCancel,
        .userFallback: .userFallback,
        .userFailed: .authenticationFailed,
        .withdrawn: .systemCancel,
        .deadline: .systemCancel,
        .unavailable: .systemCancel,
        .passcodeNotSet: .passcodeNotSet,
        .biometryUnavailable: .biometryNotAvailable,
        .biometryLockout: .biometryLockout,
        .companionUnavailable: .companionNotAvailable,
        .unreachable: .notInteractive,
        .needsUser: .notInteractive,
        .needsPassword: .notInteractive,
    ]

    private static let byStatus: [KeychainStatus: Code] = [
        .userCanceled: .userCancel,
        .interactionNotAllowed: .notInteractive,
        .notAvailable: .systemCancel,
    ]
}

/// Errors that this module finds without a keychain.
extension LAError {
    static let invalidated = LAError(
        .invalidContext, problem: "The context was invalidated.", remedy: "Make a new one.")

    static let cancelledByProgram = LAError(
        .appCancel, problem: "The program invalidated the context while it was evaluated.",
        remedy: "Make a new context to ask again.")

    /// Apple raises an exception that no Swift program can catch.
    static let reasonMissing = LAError(
        .authenticationFailed, problem: "The localized reason is empty, so nobody was asked.",
        remedy: "Say why the user should authenticate.")

    static let noCompanion = LAError(
        .companionNotAvailable, problem: "This system has no paired devices.",
        remedy: "Use a policy or an access control that biometry or the passcode meets.")

    /// Something that a device lacks at the moment.
    static func lacking(_ code: Code) -> LAError {
        let (problem, remedy) = lacks[code] ?? ("The user cannot be authenticated.", "Offer another way.")
        return LAError(code, problem: problem, remedy: remedy)
    }

    private static let lacks: [Code: (problem: String, remedy: String)] = [
        .passcodeNotSet: ("The device has no passcode.", "Have one set: security set-keychain-password."),
        .biometryNotAvailable: ("The device has no fingerprint reader.", "Offer the user the passcode."),
        .biometryNotEnrolled: ("No finger is enrolled.", "Have one enrolled: fprintd-enroll."),
        .biometryLockout: (
            "Too many fingers did not match.", "Have the passcode entered: evaluate deviceOwnerAuthentication."
        ),
    ]
}
