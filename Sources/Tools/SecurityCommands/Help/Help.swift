import CommandOptions

/// `help`, and what is shown when no command is given (rule command.driver.usage).
enum Help {
    static let command = Command(
        "help", "Show all commands, or show usage for a command.", synopsis: "[command ...]", operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        if arguments.operands.isEmpty { return showTable(session) }
        var commands: [Command] = []
        for word in arguments.operands {
            guard let command = CommandTable.find(word, as: session.imitatesMacOS) else {
                let (_, cause, remedy) = CommandTable.explanation(
                    ofUnknown: word.text, as: session.imitatesMacOS)
                throw .failed("help: no such command: \(word.text)", cause: cause, remedy: remedy)
            }
            commands.append(command)
        }
        show(commands, session)
    }

    /// Shows how commands are used.
    static func show(_ commands: [Command], _ session: Session) {
        if session.writesJSON { return session.output.write(.array(commands.map(\.json))) }
        for command in commands {
            session.output.write(usage(of: command, session))
            if !session.imitatesMacOS { session.output.write(session.text("See \(command.page).") + "\n") }
        }
    }

    /// How a command is used: synopsis, options, what a person should know, exit statuses and examples.
    static func usage(of command: Command, _ session: Session) -> String {
        let (say, labelled) = (session.text, session.labelled)
        let synopsis = command.synopsis.isEmpty ? command.name : "\(command.name) \(command.synopsis)"
        let options = command.options.map { "    \($0.names)  \(say($0.meaning))" }
        let notes = command.notes.flatMap { $0.hasPrefix(" ") ? [$0] : Paragraph(say($0)).lines }
        let statuses = command.exits.map { labelled("Exits with \($0.status):", say($0.meaning)) }
        let examples = command.examples.map { labelled("Example:", $0) }
        let lines = [labelled("Usage:", synopsis)] + options + notes + statuses + examples
        return lines.joined(separator: "\n") + "\n"
    }

    /// Shows how `security` is used.
    ///
    /// - Returns: the status of a wrong command line.
    static func printUsage(_ session: Session) -> Int32 {
        if !session.writesJSON {
            let say = session.text
            session.output.write(session.labelled("Usage:", "security \(synopsis) [command] [opt ...]") + "\n")
            for option in CommandTable.globalOptions {
                session.output.write("    \(option.names)  \(say(option.meaning))\n")
            }
            session.output.write("    --json  \(say("Write JSON; allowed before and after the command."))\n")
            session.output.write(say("security commands are:") + "\n")
        }
        showTable(session)
        return 2
    }

    private static var synopsis: String {
        let options = CommandTable.globalOptions.map { option in
            "[-\(option.letter)\(option.value.map { " \($0)" } ?? "")]"
        }
        return options.joined(separator: " ") + " [--json]"
    }

    private static func showTable(_ session: Session) {
        let commands = CommandTable.visible(session.imitatesMacOS)
        if session.writesJSON { return session.output.write(.array(commands.map(\.json))) }
        for command in commands {
            let padding = String(repeating: " ", count: max(0, 36 - command.name.utf8.count))
            session.output.write("    \(command.name)\(padding) \(session.text(command.summary))\n")
        }
    }
}

extension Session {
    /// A text behind its label. A wide colon has its space within.
    fileprivate func labelled(_ label: Words, _ text: String) -> String {
        let label = self.text(label)
        return label.hasSuffix("：") ? label + text : "\(label) \(text)"
    }
}

extension Command {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("summary", .string(summary)), ("synopsis", .string(synopsis)),
            ("options", .array(options.map(\.json))), ("notes", .string(notes.joined(separator: " "))),
            ("layer", .string(layer.rawValue)), ("page", .string(page)),
            ("differences", differences),
            (
                "exits",
                .array(
                    exits.map {
                        .object([("status", .number(Int64($0.status))), ("meaning", .string($0.meaning))])
                    })
            ),
            ("examples", .array(examples.map { .string($0) })),
        ])
    }
}

extension Command {
    /// The differences from macOS's command; null for one that macOS lacks.
    private var differences: JSONValue {
        guard let command = MacCommand.table.first(where: { $0.name == name }) else { return .null }
        return .array(command.sentences(having: options).map { .string($0) })
    }
}

extension CommandOption {
    fileprivate var json: JSONValue {
        .object([
            ("letter", .string(String(letter))), ("value", value.map { .string($0) } ?? .null),
            ("meaning", .string(meaning)),
        ])
    }
}
