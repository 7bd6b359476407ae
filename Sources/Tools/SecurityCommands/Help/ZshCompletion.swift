import CommandOptions

/// The script with which zsh completes the command line.
extension CompletionScripts {
    var zsh: String {
        """
        #compdef security
        # zsh completion for security(1), made by `security completions zsh`.
        \(Self.valuesFunction)
        _security_offer() {
            local -a values
            values=(${(f)"$(_security_values $1)"})
            compadd -a values
        }
        _security() {
            local -a commands
            commands=(
        \(commands.map { "        '\($0.name):\(zshQuoted($0.summary))'" }.joined(separator: "\n"))
            )
            local context state line
            _arguments -C \\
        \(options.map { "        \(zshOption($0, nil)) \\" }.joined(separator: "\n"))
                '--json[Write JSON.]' \\
                '1: :->command' '*:: :->rest'
            case $state in
                command) _describe command commands ;;
                rest)
                    case $words[1] in
                        help) _describe command commands ;;
                        completions) _values shell \(Shell.allCases.map(\.rawValue).joined(separator: " ")) ;;
        \(commands.withOptions.map(zshCommand).joined(separator: "\n"))
                    esac ;;
            esac
        }
        # Loaded by name, this file is the function; read with source, it only declares it.
        if [[ "$funcstack[1]" == _security ]]; then _security "$@"; else compdef _security security; fi

        """
    }

    private func zshCommand(_ command: Command) -> String {
        let options =
            command.options.map { zshOption($0, Self.offered($0, of: command)) } + ["'--json[Write JSON.]'"]
            + (command.program == nil ? [] : ["'*:file:_files'"])
        let lines = options.map { "                    \($0)" }.joined(separator: " \\\n")
        return "                \(command.name)) _arguments -S \\\n\(lines) ;;"
    }

    private func zshOption(_ option: CommandOption, _ attribute: String?) -> String {
        // An action that begins with a blank is called with its own arguments only.
        let action = attribute.map { " _security_offer \($0)" } ?? (Self.takesFile(option) ? "_files" : " ")
        let value = option.value.map { ":\($0):\(action)" } ?? ""
        let names = option.word.map { "{-\(option.letter),--\($0)}'" } ?? "'-\(option.letter)"
        return "\(names)[\(zshQuoted(option.meaning))]\(value)'"
    }

    private func zshQuoted(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "[", "]", ":": result += "\\\(character)"
            case "'": result += "'\\''"
            default: result.append(character)
            }
        }
    }
}
