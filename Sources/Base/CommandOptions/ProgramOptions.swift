/// The table of a program's options. Its help, its part of the manual page and the reading of a command line follow
/// from the rows.
package struct ProgramOptions: Sendable {
    /// The words in front of the options: the program's name, and the first word that chose this table.
    package let command: String
    /// Sentences that say what the program does and who starts it.
    package let summary: String
    package let options: [ProgramOption]
    /// Sentences behind the options; empty for none.
    package let notes: String

    package init(_ command: String, _ summary: String, options: [ProgramOption], notes: String = "") {
        (self.command, self.summary, self.options, self.notes) = (command, summary, options, notes)
    }

    /// The text that `--help` prints, without its last line end.
    package var help: String {
        let usage = "usage: \(command) "
        let words = options.filter { !$0.isFirstWord }.map(\.inUsage)
        let head = usage + Self.fill(words, indent: usage.count)
        let modes = options.filter(\.isFirstWord).map { "       \(command) \($0.shown) [...]" }
        let parts = [([head] + modes).joined(separator: "\n"), Self.fill(summary), lines, Self.fill(notes)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var lines: String {
        options.map { option in
            let left = "  \(option.shown)"
            let isLong = left.count + 2 > Self.column
            let gap = isLong ? "\n" + Self.blanks(Self.column) : Self.blanks(Self.column - left.count)
            return left + gap + Self.fill(option.meaning, indent: Self.column)
        }.joined(separator: "\n")
    }

    /// The column at which meanings begin.
    private static let column = 26

    private static func fill(_ text: String, indent: Int = 0) -> String {
        fill(text.split(separator: " ").map(String.init), indent: indent)
    }

    /// Lines of at most 110 columns; those behind the first begin with blanks.
    private static func fill(_ words: [String], indent: Int) -> String {
        var (text, length) = ("", indent)
        for word in words {
            let isFirst = text.isEmpty
            if !isFirst, length + word.count + 1 > 110 {
                text += "\n" + blanks(indent)
                length = indent
            } else if !isFirst {
                text += " "
                length += 1
            }
            text += word
            length += word.count
        }
        return text
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

extension ProgramOption {
    /// Whether it stands for another table.
    package var isFirstWord: Bool { if case .firstWord = kind { true } else { false } }

    /// As a line of usage shows it: `[--store FOLDER]`.
    package var inUsage: String {
        switch count {
        case .optional: "[\(shown)]"
        case .required: shown
        case .repeated: "[\(shown)]..."
        }
    }
}
