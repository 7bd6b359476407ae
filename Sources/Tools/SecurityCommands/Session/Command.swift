package import CommandOptions

/// An entry of the table of commands: everything that is known about one, so that help, parsing, completion and the
/// check of the manual page are made from the same words.
package struct Command: Sendable {
    package typealias Body = @Sendable (ParsedArguments, Session) throws(CommandFailure) -> Void

    package let name: String
    /// One sentence for the list of commands.
    package var summary: String { makeSummary() }
    /// Options and operands in one line, as in a manual page.
    package var synopsis: String { makeSynopsis() }
    package var options: [CommandOption] { makeOptions() }
    /// Facts for people beyond the options, a line each.
    package var notes: [String] { makeNotes() }
    /// How many operands it takes.
    var operands: ClosedRange<Int> { makeOperands() }
    /// False for a command whose operands may begin with a minus sign.
    let hasOptions: Bool
    /// Whether the operand may stand before the options, as macOS's `import` has it.
    let takesOperandFirst: Bool
    let body: Body
    /// The program that does it, for a command that is one of its own; it reads the words itself.
    let program: String?
    // Made when somebody reads them: only one command of the table runs, and a script feels the others.
    private let makeSummary, makeSynopsis: @Sendable () -> String
    private let makeOptions: @Sendable () -> [CommandOption]
    private let makeNotes: @Sendable () -> [String]
    private let makeOperands: @Sendable () -> ClosedRange<Int>

    init(
        _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
        synopsis: @autoclosure @escaping @Sendable () -> String,
        options: @autoclosure @escaping @Sendable () -> [CommandOption] = [],
        notes: @autoclosure @escaping @Sendable () -> [String] = [],
        operands: @autoclosure @escaping @Sendable () -> ClosedRange<Int> = 0...0, hasOptions: Bool = true,
        takesOperandFirst: Bool = false, program: String? = nil, body: @escaping Body
    ) {
        (self.name, self.hasOptions, self.program, self.body) = (name, hasOptions, program, body)
        self.takesOperandFirst = takesOperandFirst
        (makeSummary, makeSynopsis, makeOptions, makeNotes) = (summary, synopsis, options, notes)
        makeOperands = operands
    }

    /// The text that `help` prints after `Usage: `.
    package var usage: String {
        let lines = options.map { "    \($0.names)  \($0.meaning)" } + notes
        return ([synopsis.isEmpty ? name : "\(name) \(synopsis)"] + lines).joined(separator: "\n")
    }
}

extension Command {
    /// The words in the order in which they are read: options, then operands.
    func ordered(_ words: [Argument]) -> [Argument] {
        guard takesOperandFirst, let first = words.first, !first.text.hasPrefix("-") else { return words }
        return words.dropFirst() + [first]
    }
}

extension ArgumentParser {
    /// Reads the words behind a command's name.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for an option that does not exist or lacks its value.
    static func parse(_ words: [Argument], for command: Command) throws(CommandFailure) -> ParsedArguments {
        do throws(WrongCommandLine) {
            return try parse(words, options: command.hasOptions ? command.options : nil)
        } catch { throw CommandFailure(error) }
    }
}
