import CommandOptions

/// The completion scripts for a table of commands; each shell's is in a file of its own.
package struct CompletionScripts {
    package enum Shell: String, CaseIterable, Sendable {
        case bash
        case zsh
        case fish
    }

    let commands: [Command]
    /// The options before a command's name.
    let options: [CommandOption]

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
