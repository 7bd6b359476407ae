import KeychainModel

/// A failure in three lines.
struct FailureText: Equatable {
    let problem, cause, remedy: String
    /// Whether the problem is a sentence already, which may begin with a name.
    let isSentence: Bool

    private static let duplicate = "An item with this service and account exists already."
    private static let editThat = "Give it another name, or edit that one."
    private static let wrong = "This is not the password of the keychain."
    private static let gone = "Another program has deleted this item."

    /// A refusal is told by its reason: macOS's line is for scripts, and in English.
    ///
    /// - Parameter isOfVersion: whether an earlier version was asked for, which may be gone where the item is not.
    init(_ failure: CommandFailure, isOfVersion: Bool = false) {
        let explanation = failure.explanation
        if case .refused = failure { isSentence = true } else { isSentence = false }
        if failure.isStatus(.duplicateItem) {
            (problem, cause, remedy) = (Self.duplicate, "", Self.editThat)
            return
        }
        if failure.isStatus(.itemNotFound), !isOfVersion {
            (problem, cause, remedy) = (Self.gone, "", "")
            return
        }
        if failure.isWrongPassword {
            (problem, cause, remedy) = (Self.wrong, "", "")
            return
        }
        remedy = explanation.remedy
        if case .refused = failure, !explanation.cause.isEmpty {
            (problem, cause) = (explanation.cause, "")
        } else {
            (problem, cause) = (failure.message ?? "", explanation.cause)
        }
    }
}

extension CommandFailure {
    /// Whether a password was given that does not open the keychain.
    fileprivate var isWrongPassword: Bool {
        if case .refused(_, let refusal) = self { refusal.rule == .wrongPasscode } else { false }
    }
}
