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
        for command in commands { session.output.write("Usage: \(command.usage)\n") }
    }

    /// Shows how `security` is used.
    ///
    /// - Returns: the status of a wrong command line.
    static func printUsage(_ session: Session) -> Int32 {
        if !session.writesJSON {
            session.output.write("Usage: security \(synopsis) [command] [opt ...]\n")
            for option in CommandTable.globalOptions {
                session.output.write("    \(option.names)  \(option.meaning)\n")
            }
            session.output.write("    --json  Write JSON; allowed before and after the command.\n")
            session.output.write("security commands are:\n")
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
            session.output.write("    \(command.name)\(padding) \(command.summary)\n")
        }
    }
}

extension Command {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("summary", .string(summary)), ("synopsis", .string(synopsis)),
            ("options", .array(options.map(\.json))), ("notes", .string(notes.joined(separator: " "))),
            ("layer", .string(layer.rawValue)),
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

extension CommandOption {
    fileprivate var json: JSONValue {
        .object([
            ("letter", .string(String(letter))), ("value", value.map { .string($0) } ?? .null),
            ("meaning", .string(meaning)),
        ])
    }
}
