import CommandOptions

/// The script with which fish completes the command line.
extension CompletionScripts {
    var fish: String {
        let globals = options.map { "complete -c security -n __fish_use_subcommand \(fishOption($0, nil))" }
        let names = commands.map {
            "complete -c security -n __fish_use_subcommand -a \($0.name) -d '\(fishQuoted($0.summary))'"
        }
        let options = commands.flatMap { command in
            command.options.map {
                "complete -c security -n '__fish_seen_subcommand_from \(command.name)' "
                    + fishOption($0, Self.offered($0, of: command))
            }
        }
        let shells = Shell.allCases.map(\.rawValue).joined(separator: " ")
        return """
            # fish completion for security(1), made by `security completions fish`.
            function __security_values
                security dump-keychain 2>/dev/null | string match -rg '^    "'$argv[1]'"<blob>="(.*)"$' | sort -u
            end
            complete -c security -f
            complete -c security -l json -d 'Write JSON.'
            \((globals + names + options).joined(separator: "\n"))
            \(ofFiles.joined(separator: "\n"))
            complete -c security -n '__fish_seen_subcommand_from help' -a '\(commands.names.joined(separator: " "))'
            complete -c security -n '__fish_seen_subcommand_from completions' -a '\(shells)'

            """
    }

    private var ofFiles: [String] {
        commands.filter { $0.program != nil }.map {
            "complete -c security -n '__fish_seen_subcommand_from \($0.name)' -F"
        }
    }

    private func fishOption(_ option: CommandOption, _ attribute: String?) -> String {
        let offer =
            attribute.map { " -x -a '(__security_values \($0))'" } ?? (Self.takesFile(option) ? " -r -F" : " -x")
        let value = option.value == nil ? "" : offer
        let long = option.word.map { " -l \($0)" } ?? ""
        return "-s \(option.letter)\(long)\(value) -d '\(fishQuoted(option.meaning))'"
    }

    private func fishQuoted(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
    }
}
