package import CommandOptions

/// An entry of the table of commands: everything that is known about one, so that help, parsing, completion and the
/// check of the manual page are made from the same words.
package struct Command: Sendable {
    package typealias Body = @Sendable (ParsedArguments, Session) throws(CommandFailure) -> Void

    package let name: String
    /// Whose names and habits the command follows.
    package let layer: Layer
    /// One sentence for the list of commands.
    package var summary: String { makeSummary() }
    /// Options and operands in one line, as in a manual page.
    package var synopsis: String { makeSynopsis() }
    package var options: [CommandOption] { makeOptions() }
    /// Facts for people beyond the options, a line each.
    package var notes: [String] { makeNotes() }
    /// The exit statuses that mean something of this command's own, and what each means.
    package var exits: [(status: UInt8, meaning: String)] { makeExits() }
    /// Command lines to learn from.
    package var examples: [String] { makeExamples() }
    /// How many operands it takes.
    var operands: ClosedRange<Int> { makeOperands() }
    /// False for a command whose operands may begin with a minus sign.
    let hasOptions: Bool
    /// Options may also stand behind operands.
    let mixesOptions: Bool
    /// How many operands are text, from the first on; those behind them may have any bytes.
    let textOperands: Int
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
    private let makeExits: @Sendable () -> [(status: UInt8, meaning: String)]
    private let makeExamples: @Sendable () -> [String]

    /// The two layers of the table.
    package enum Layer: String, Sendable {
        /// macOS's commands, and those of this keychain that follow their habits.
        case scripts
        /// Short verbs for people at a terminal. With macOS's habits demanded there are none.
        case people
    }

    init(
        _ name: String, _ summary: @autoclosure @escaping @Sendable () -> String,
        synopsis: @autoclosure @escaping @Sendable () -> String,
        options: @autoclosure @escaping @Sendable () -> [CommandOption] = [],
        notes: @autoclosure @escaping @Sendable () -> [String] = [],
        exits: @autoclosure @escaping @Sendable () -> [(status: UInt8, meaning: String)] = [],
        examples: @autoclosure @escaping @Sendable () -> [String] = [],
        operands: @autoclosure @escaping @Sendable () -> ClosedRange<Int> = 0...0, hasOptions: Bool = true,
        textOperands: Int = .max, takesOperandFirst: Bool = false, mixesOptions: Bool = false,
        layer: Layer = .scripts, program: String? = nil, body: @escaping Body
    ) {
        (self.name, self.hasOptions, self.program, self.body) = (name, hasOptions, program, body)
        self.textOperands = textOperands
        (self.layer, self.takesOperandFirst, makeExits, makeExamples) = (layer, takesOperandFirst, exits, examples)
        (makeSummary, makeSynopsis, makeOptions, makeNotes) = (summary, synopsis, options, notes)
        makeOperands = operands
        self.mixesOptions = mixesOptions || layer == .people
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
            return try parse(
                words, options: command.hasOptions ? command.options : nil, mixed: command.mixesOptions,
                texts: command.textOperands)
        } catch { throw CommandFailure(error) }
    }
}
