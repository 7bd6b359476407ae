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
    private static func offered(_ option: CommandOption, of command: Command) -> String? {
        let isPassword = command.name.hasSuffix("-password") && !command.name.hasPrefix("set-")
        guard isPassword else { return nil }
        switch option.letter {
        case "a": return "acct"
        case "s": return command.name.contains("generic") ? "svce" : "srvr"
        default: return nil
        }
    }

    /// Prints the values of an attribute of all items, a line each: names, never passwords.
    private static let valuesFunction = """
        _security_values() {
            security dump-keychain 2>/dev/null | sed -n "s/^    \\"$1\\"<blob>=\\"\\(.*\\)\\"$/\\1/p" | sort -u
        }
        """
}

// MARK: - bash

extension Completions {
    private static var bash: String {
        """
        # bash completion for security(1), made by `security completions bash`.
        \(valuesFunction)
        _security() {
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            local command="" words="" word
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case "$word" in
                    -*) ;;
                    *) command="$word"; break ;;
                esac
            done
            local IFS=$'\\n'
            case "$command $previous" in
        \(bashValues.joined(separator: "\n"))
            esac
            case "$command" in
                "") words="\((Driver.options.map { "-\($0.letter)" } + ["--json"] + CommandTable.commands.map(\.name)).joined(separator: "\\n"))" ;;
                help) words="\(CommandTable.commands.map(\.name).joined(separator: "\\n"))" ;;
                completions) words="\(Shell.allCases.map(\.rawValue).joined(separator: "\\n"))" ;;
        \(bashOptions.joined(separator: "\n"))
            esac
            COMPREPLY=($(compgen -W "$(printf '%b' "$words")" -- "$current"))
        }
        complete -F _security security

        """
    }

    private static var bashValues: [String] {
        CommandTable.commands.flatMap { command in
            command.options.compactMap { option in
                offered(option, of: command).map { attribute in
                    "        \"\(command.name) -\(option.letter)\")"
                        + " COMPREPLY=($(compgen -W \"$(_security_values \(attribute))\" -- \"$current\")); return ;;"
                }
            }
        }
    }

    private static var bashOptions: [String] {
        CommandTable.commands.filter { !$0.options.isEmpty }.map { command in
            let words = command.options.map { "-\($0.letter)" } + ["--json", "--help"]
            return "        \(command.name)) words=\"\(words.joined(separator: "\\n"))\" ;;"
        }
    }
}

// MARK: - zsh

extension Completions {
    private static var zsh: String {
        """
        #compdef security
        # zsh completion for security(1), made by `security completions zsh`.
        \(valuesFunction)
        _security_offer() {
            local -a values
            values=(${(f)"$(_security_values $1)"})
            compadd -a values
        }
        _security() {
            local -a commands
            commands=(
        \(CommandTable.commands.map { "        '\($0.name):\(zshQuoted($0.summary))'" }.joined(separator: "\n"))
            )
            local context state line
            _arguments -C \\
        \(Driver.options.map { "        \(zshOption($0, nil)) \\" }.joined(separator: "\n"))
                '--json[Write JSON.]' \\
                '1: :->command' '*:: :->rest'
            case $state in
                command) _describe command commands ;;
                rest)
                    case $words[1] in
                        help) _describe command commands ;;
                        completions) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
        \(CommandTable.commands.filter { !$0.options.isEmpty }.map(zshCommand).joined(separator: "\n"))
                    esac ;;
            esac
        }
        _security "$@"

        """
    }

    private static func zshCommand(_ command: Command) -> String {
        let options = command.options.map { zshOption($0, offered($0, of: command)) } + ["'--json[Write JSON.]'"]
        let lines = options.map { "                    \($0)" }.joined(separator: " \\\n")
        return "                \(command.name)) _arguments -S \\\n\(lines) ;;"
    }

    private static func zshOption(_ option: CommandOption, _ attribute: String?) -> String {
        let action = attribute.map { "_security_offer \($0)" } ?? " "
        let value = option.value.map { ":\($0):\(action)" } ?? ""
        return "'-\(option.letter)[\(zshQuoted(option.meaning))]\(value)'"
    }

    private static func zshQuoted(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "[", "]", ":": result += "\\\(character)"
            case "'": result += "'\\''"
            default: result.append(character)
            }
        }
    }
}

// MARK: - fish

extension Completions {
    private static var fish: String {
        let globals = Driver.options.map { "complete -c security -n __fish_use_subcommand \(fishOption($0, nil))" }
        let names = CommandTable.commands.map {
            "complete -c security -n __fish_use_subcommand -a \($0.name) -d '\(fishQuoted($0.summary))'"
        }
        let options = CommandTable.commands.flatMap { command in
            command.options.map {
                "complete -c security -n '__fish_seen_subcommand_from \(command.name)' "
                    + fishOption($0, offered($0, of: command))
            }
        }
        return """
            # fish completion for security(1), made by `security completions fish`.
            function __security_values
                security dump-keychain 2>/dev/null | string match -rg '^    "'$argv[1]'"<blob>="(.*)"$' | sort -u
            end
            complete -c security -f
            complete -c security -l json -d 'Write JSON.'
            \((globals + names + options).joined(separator: "\n"))
            complete -c security -n '__fish_seen_subcommand_from help' -a '\(CommandTable.commands.map(\.name).joined(separator: " "))'
            complete -c security -n '__fish_seen_subcommand_from completions' -a '\(Shell.allCases.map(\.rawValue).joined(separator: " "))'

            """
    }

    private static func fishOption(_ option: CommandOption, _ attribute: String?) -> String {
        let value = option.value == nil ? "" : attribute.map { " -x -a '(__security_values \($0))'" } ?? " -x"
        return "-s \(option.letter)\(value) -d '\(fishQuoted(option.meaning))'"
    }

    private static func fishQuoted(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
    }
}
