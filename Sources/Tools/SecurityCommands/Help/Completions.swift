/// `completions`: prints what a shell needs to complete `security`'s command line, made from the table of commands.
package enum Completions {
    package enum Shell: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    static let command = Command(
        "completions", "Print the completion script for a shell.", synopsis: "bash|zsh|fish", operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        guard let shell = Shell(rawValue: arguments.operands[0].text) else { throw .usage(nil) }
        let script = script(for: shell)
        if session.writesJSON {
            session.output.write(.object([("shell", .string(shell.rawValue)), ("script", .string(script))]))
        } else {
            session.output.write(script)
        }
    }

    /// The script for a shell.
    package static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The attribute of which existing values are offered for an option, if it is a name that `dump-keychain` shows.
    static func offered(_ option: CommandOption, of command: Command) -> String? {
        let isPassword = command.name.hasSuffix("-password") && !command.name.hasPrefix("set-")
        guard isPassword else { return nil }
        switch option.letter {
        case "a": return "acct"
        case "s": return command.name.contains("generic") ? "svce" : "srvr"
        default: return nil
        }
    }

    /// Whether files are offered for an option.
    static func takesFile(_ option: CommandOption) -> Bool {
        option.value.map { ["file", "folder", "key"].contains($0) } ?? false
    }

    /// A shell function that prints the values of an attribute of all items, a line each: names, never passwords.
    static let valuesFunction = """
        _security_values() {
            security dump-keychain 2>/dev/null | sed -n "s/^    \\"$1\\"<blob>=\\"\\(.*\\)\\"$/\\1/p" | sort -u
        }
        """
}

extension [Command] {
    var names: [String] { map(\.name) }

    /// Those with options of their own.
    var withOptions: [Command] { filter { !$0.options.isEmpty } }
}
