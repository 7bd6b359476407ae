package import CommandOptions

/// The command line of `keychain-secrets`.
package enum BridgeArguments {
    package static let table = ProgramOptions(
        "keychain-secrets",
        "Offers the keychain to desktop programs as org.freedesktop.secrets. The session's bus starts it.",
        options: [
            ProgramOption("--bus", value: "ADDRESS", .word, "The bus. Default: that of the session."),
            ProgramOption(
                "--owner", "Print the program that is org.freedesktop.secrets there now, if there is one, and end."),
            ProgramOption(
                "--import", "Add to the keychain what that program has and the keychain has not, and end."),
            ProgramOption("--dry-run", "With --import: say what would be added, and add nothing."),
            ProgramOption(
                "--undo-import", "Delete what imports have added and nobody has changed since, and end."),
            ProgramOption("--json", "With --import and --undo-import: write the outcome as an object of JSON."),
            ProgramOption(
                "--yield-to", value: "FILE", .absolutePath,
                """
                Become the program of FILE, a service file of D-Bus, where the user has an older keyring or wallet and \
                this program has never served them.
                """),
            ProgramOption(
                "--keyring-file", value: "FILE", .word,
                "With --import: read this file of gnome-keyring's in place of that program."),
            ProgramOption(
                "--keyring-files", "With --undo-import: take imports of such files back in place of the others."),
            ProgramOption(
                "--kwallet", "With --import and --undo-import: KWallet on the bus in place of that program."),
            ProgramOption(
                "--password-fd", value: "NUMBER", .descriptor,
                "Read the password of the file from this open descriptor, a line. Default: ask at the terminal."),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program."),
        ])
}
