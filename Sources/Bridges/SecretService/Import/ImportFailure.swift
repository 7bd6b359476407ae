package import LinuxSystem

/// Why a file is not imported, for people.
package struct ImportFailure: Error {
    private let words: PromptText

    init(_ english: String, _ chinese: String) { words = PromptText(english: english, chinese: chinese) }

    /// The reason, and what to do about it.
    package func text(_ language: UserLanguage) -> String { words(language) }
}
