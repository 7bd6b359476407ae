import CommandOptions
import LinuxSystem
import TerminalText

/// When output is coloured. Colour only repeats what words and marks say already.
enum ColourChoice: String, CaseIterable {
    /// On a terminal that can, unless `NO_COLOR` is set.
    case auto
    case always
    case never

    /// The option, in front of a command or behind it.
    static let option = CommandOption(
        "c", word: "color", value: "when", "Colour the output: auto (the default), always or never.")

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for another word.
    init(_ word: Argument) throws(CommandFailure) {
        guard let choice = Self(rawValue: word.text) else {
            throw .usage("\(word.text.quoted) is neither auto, always nor never")
        }
        self = choice
    }
}

/// A colour of the terminal's sixteen, or a weight.
enum TextStyle: String {
    case heading = "1"
    case failure = "31"
}

extension Session {
    /// Takes the option's choice, where it is given.
    func takeColour(_ arguments: ParsedArguments) throws(CommandFailure) {
        guard let word = arguments.value(ColourChoice.option.letter) else { return }
        colour = try ColourChoice(word)
    }

    /// Whether a stream gets colour.
    func isColoured(_ output: Output) -> Bool {
        if imitatesMacOS || writesJSON { return false }
        switch colour {
        case .always: return true
        case .never: return false
        case .auto: break
        }
        let isSet = { (name: String) in !["", "0"].contains(self.environment(name) ?? "") }
        if !(environment("NO_COLOR") ?? "").isEmpty { return false }
        if isSet("CLICOLOR_FORCE") { return true }
        return output.isTerminal && !["", "dumb"].contains(environment("TERM") ?? "")
    }

    /// A text that is safe to show, in a style where the stream gets colour.
    func styled(_ text: String, _ style: TextStyle, for output: Output) -> String {
        isColoured(output) ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Texts in the language of the session's user.
extension Session {
    /// The language of texts for people. Scripts that want the form of macOS get its words.
    var language: UserLanguage { imitatesMacOS ? .english : UserLanguage(environment) }

    /// A text for people in their language.
    func text(_ words: Words) -> String { language.text(words) }

    /// Several facts in one line, each in their language.
    func texts(_ facts: [Words], separator: String) -> String { facts.map(text).joined(separator: separator) }

    /// Writes names and what belongs to them in two columns, both in the user's language.
    func show(_ lines: [(name: Words, fact: Words)]) {
        let width = TextWidth()
        for line in lines {
            let name = text(line.name)
            let padding = String(repeating: " ", count: max(0, Self.nameColumns - width.columns(name)))
            output.write("\(name)\(padding)\(text(line.fact).printable)\n")
        }
    }

    private static let nameColumns = 13

    /// The same for the first line of a failure and for a prompt: scripts read those of macOS's commands.
    func line(_ words: Words) -> String { layer == .scripts ? words : text(words) }
}
