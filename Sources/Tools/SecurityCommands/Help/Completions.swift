import CommandOptions

/// `completions`: prints what a shell needs to complete `security`'s command line, made from the table of commands.
package enum Completions {
    package typealias Shell = CompletionScripts.Shell

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
        let scripts = CompletionScripts(commands: CommandTable.commands, options: CommandTable.globalOptions)
        return switch shell {
        case .bash: scripts.bash
        case .zsh: scripts.zsh
        case .fish: scripts.fish
        }
    }
}
