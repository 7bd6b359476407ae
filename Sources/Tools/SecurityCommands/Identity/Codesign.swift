import CommandOptions

/// `codesign`: signs executables. It is a program of its own, `keychain-codesign`, which has the same table.
package enum Codesign {
    package static let command = Command(
        "codesign", "Sign an executable with entitlements, verify or show a signature.",
        synopsis: "-s key [-f] [-e file] [-i name] [-S file] file ... | -v file ... | -d [-e -] file ...",
        options: options,
        notes: [
            """
            A key is a file in PEM, or enclave:LABEL for one in the Secure Enclave. Every group begins with the Team \
            ID, which follows from the key; in an entitlements file $(AppIdentifierPrefix) stands for it. -v with -s \
            or -d says more. Sign after strip. docs/guides/signing.md says what is covered.
            """
        ],
        operands: 0...Int.max, program: "keychain-codesign"
    ) { _, _ throws(CommandFailure) in throw .shown }

    private static let options = [
        CommandOption("s", word: "sign", value: "key", "Sign the files with this key."),
        CommandOption(
            "e", word: "entitlements", value: "file", "The entitlements to sign with; with -d, where to write them."),
        CommandOption(
            "i", word: "identifier", value: "name", "What the program is called; its file's name unless given."),
        CommandOption("f", word: "force", "Replace a signature that is there."),
        CommandOption(
            "S", word: "statements", value: "file", "Rotations that lead to the key; may be given more than once."),
        CommandOption("v", word: "verify", "Verify the files' signatures; or say more."),
        CommandOption("d", word: "display", "Show the files' signatures."),
        CommandOption("R", word: "remove-signature", "Remove the files' signatures."),
        CommandOption("c", word: "create-team-key", value: "key", "Make a team key, in a new file or in the enclave."),
        CommandOption(
            "a", word: "algorithm", value: "name", "Of the new key: ed25519, or p256; the enclave makes the latter."),
        CommandOption("P", word: "passphrase", "Ask for a passphrase for the new key."),
        CommandOption(
            "p", word: "passphrase-fd", value: "number", "Read the key's passphrase from this descriptor, a line."),
        CommandOption("T", word: "team-id", value: "key", "Print the Team ID of a key."),
        CommandOption("r", word: "rotate", value: "key", "State that this key follows the one of -s."),
        CommandOption(
            "H", word: "hand-over", value: "group", "State that this group of the team of -s is now the one of -t."),
        CommandOption("t", word: "to", value: "group", "The group that -H hands over to, with its Team ID."),
        CommandOption("o", word: "output", value: "file", "Where to write a statement; standard output unless given."),
    ]
}
