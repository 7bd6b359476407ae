import CommandOptions

/// The script with which bash completes the command line.
extension CompletionScripts {
    var bash: String {
        """
        # bash completion for security(1), made by `security completions bash`.
        \(Self.valuesFunction)
        # Not by compgen -W, which would run what an item's name says in $(...).
        _security_offer() {
            local value
            while IFS= read -r value; do
                if [[ "$value" == "$2"* ]]; then COMPREPLY+=("$(printf '%q' "$value")"); fi
            done < <(_security_values "$1")
        }
        _security() {
            COMPREPLY=()
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            local command="" words="" word
            for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                case "$word" in
                    -*) ;;
                    *) command="$word"; break ;;
                esac
            done
            case "$command $previous" in
        \(bashValues.joined(separator: "\n"))
            esac
            case "$command" in
                "") words="\(list(options.letters + ["--json"] + commands.names))" ;;
                help) words="\(list(commands.names))" ;;
                completions) words="\(list(Shell.allCases.map(\.rawValue)))" ;;
        \(bashOptions.joined(separator: "\n"))
            esac
            COMPREPLY=($(compgen -W "$words" -- "$current"))
        }
        # Where there is no word to offer, files are.
        complete -o default -F _security security

        """
    }

    private var bashValues: [String] {
        commands.flatMap { command in
            command.options.compactMap { option in
                Self.offered(option, of: command).map { attribute in
                    "        \"\(command.name) -\(option.letter)\") "
                        + "_security_offer \(attribute) \"$current\"; return ;;"
                }
            }
        }
    }

    private var bashOptions: [String] {
        commands.withOptions.map { command in
            "        \(command.name)) words=\"\(list(command.options.letters + ["--json", "--help"]))\" ;;"
        }
    }

    private func list(_ words: [String]) -> String { words.joined(separator: " ") }
}

extension [CommandOption] {
    fileprivate var letters: [String] { flatMap { ["-\($0.letter)"] + ($0.word.map { ["--\($0)"] } ?? []) } }
}
