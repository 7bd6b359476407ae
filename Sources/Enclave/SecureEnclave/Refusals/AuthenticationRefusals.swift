import KeychainModel
import LinuxSystem

/// The enclave's refusals about users and access control (rules access-control.add.explained,
/// authentication.policy.kinds).
extension Refusal {
    /// Between engine and client only: the user has to be asked first.
    static let needsUser = Refusal(
        .authNeeded, .needsUser, "accc", "The access control wants the user to be asked first.",
        do: "Ask again in a context in which the user can be reached.")

    static let needsPassword = Refusal(
        .authNeeded, .needsPassword, "accc", "The access control wants a password of the program's own.",
        do: "Set it with LAContext.setCredential, or let the user be asked for it.")

    /// As ``needsPassword``, where a prompt is impossible or forbidden.
    static let missingPassword = Refusal(
        .interactionNotAllowed, .needsPassword, "accc",
        "The access control wants a password of the program's own, and nobody can be asked for it.",
        do: "Set it with LAContext.setCredential.")

    static let wrongPassword = Refusal(
        .authFailed, .wrongPassword, "accc", "This is not the password that the item was protected with.",
        do: "Set the right one with LAContext.setCredential.")

    static let changedEnrolment = Refusal(
        .authFailed, .changedEnrolment, "accc",
        "The item belongs to the fingers that were enrolled when it was made, and since then one was added or removed.",
        do: "Delete the item and store it again: nothing opens it any more, which is what biometryCurrentSet promises.")

    static let noPasscodeToShow = Refusal(
        .authFailed, .passcodeNotSet, "passcode", "A passcode would have to be shown, and none is set.",
        do: "Set a passcode first: security set-keychain-password.")

    static let noBiometry = Refusal(
        .authFailed, .biometryUnavailable, "biometry",
        "A finger would have to be shown, and there is no sensor that could see it, or no finger is enrolled.",
        do: "Enrol a finger (fprintd-enroll), or use an access control that the passcode meets.")

    static let lockedBiometry = Refusal(
        .authFailed, .biometryLockout, "biometry",
        "After too many fingers that did not match no finger is looked at until the passcode was given.",
        do: "Unlock the keychain with its passcode: security unlock-keychain.")

    static let noCompanion = Refusal(
        .authFailed, .companionUnavailable, "companion", "A paired device is wanted, and there is none.",
        do: "Use an access control that a finger or the passcode meets.")

    static let unknownDemand = Refusal(
        .authFailed, .wrongValue, "accc",
        "The access control demands something that this release does not know, and so nobody can meet it.",
        do: "Use the release that the access control was made with.")

    static let userFailed = Refusal(
        .authFailed, .userFailed, "user", "The user has failed to authenticate too often.", do: "Try again.")

    static let userFallback = Refusal(
        .authFailed, .userFallback, "user", "The user wants to authenticate in another way than with a finger.",
        do: "Offer the program's own way.")

    static let userCanceled = Refusal(
        .userCanceled, .userCanceled, "user", "The user has cancelled.", do: "Ask again when the user wants to go on.")

    static let unansweredInTime = Refusal(
        .notAvailable, .deadline, "user", "The user did not answer in time.", do: "Ask again.")

    static let nobodyToAsk = Refusal(
        .interactionNotAllowed, .unreachable, "user", "The user would have to be asked, and there is no way to do so.",
        do: "Run the program where the user has a terminal or a display, and check that keychain-agent is installed.")

    static let mayNotAsk = Refusal(
        .interactionNotAllowed, .unreachable, "user", "The user would have to be asked, and may not be.",
        do: "Allow it: KEYCHAIN_INTERACTION is never, or the context's interactionNotAllowed is set.")

    static let unknownPolicy = Refusal(
        .param, .wrongValue, "policy", "There is no such policy.", do: "Use one of LAPolicy's values.")

    static let malformedTask = Refusal(
        .param, .wrongValue, "guards", "What the user is to be asked for cannot be understood, or is too much at once.",
        do: "Use programs of the same release.")

    static let unlayeredPassword = Refusal(
        .authFailed, .wrongPassword, "accc",
        "The access control wants a password, and the key was made by a release that could not yet set one.",
        do: "Delete the key and make it again.")

    static func unreadableCredential(_ error: SystemError) -> Refusal {
        Refusal(
            .param, .wrongValue, "credential", "The application password cannot be read (\(error)).",
            do: "Use programs of the same release.")
    }
}
