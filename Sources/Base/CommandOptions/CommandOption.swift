// The module is not called CommandLine, as what it reads is: in every file that imports it, that name would stand for
// the module and no longer for Swift's own `CommandLine`, whose arguments the programs pass to it.

/// An option of a command, or of `security` itself.
package struct CommandOption: Sendable {
    package let letter: Character
    /// A longer name; nil for most.
    package let word: String?
    /// The name of its value; nil for a switch.
    package let value: String?
    /// One sentence.
    package let meaning: String
    /// The value is a password: never shown, and asked for when the option is the last word.
    package let isSecret: Bool
    /// The value has two words, as of an attribute with its name.
    package let hasTwoWords: Bool
    /// The value may be left out; then the next word is an option, or there is none.
    package let isOptional: Bool
    /// The value may have bytes that are not UTF-8, as an attribute that is data. So may a password.
    package let takesBytes: Bool

    package init(
        _ letter: Character, word: String? = nil, value: String? = nil, isSecret: Bool = false,
        hasTwoWords: Bool = false, isOptional: Bool = false, takesBytes: Bool = false, _ meaning: String
    ) {
        self.letter = letter
        self.word = word
        self.value = value
        self.meaning = meaning
        self.isSecret = isSecret
        self.hasTwoWords = hasTwoWords
        self.isOptional = isOptional
        self.takesBytes = takesBytes || isSecret
    }

    /// As help shows it: `-R, --recovery`.
    package var names: String { word.map { "-\(letter), --\($0)" } ?? "-\(letter)" }
}
