/// An environment variable that only the command obeys. The others are settings of all programs.
package enum CommandVariable: String, CaseIterable, Sendable {
    case keychain = "KEYCHAIN_KEYCHAIN"
    case macOSCompatibility = "KEYCHAIN_MACOS_COMPAT"
    case ambiguousWidth = "KEYCHAIN_AMBIGUOUS"
    case linear = "KEYCHAIN_LINEAR"

    /// The effect, for people.
    package var meaning: String {
        switch self {
        case .keychain: "The keychain that a command is about where none is named, in place of the search list."
        case .macOSCompatibility: "As -M, when it is neither empty nor 0: there are no verbs for people then."
        case .ambiguousWidth:
            "When it is 2, characters of ambiguous width, such as Greek letters, take two columns."
        case .linear: "As --linear of browse, when it is neither empty nor 0."
        }
    }
}
