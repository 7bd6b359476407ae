import CommandOptions

/// `import-from`: adds what another keyring has. The work is that of `keychain-secrets`, which speaks to the bus and
/// owns what programs of the desktop store.
enum ImportFrom {
    private static let source = "gnome-keyring"

    static let command = Command(
        "import-from", "Add to the keychain what another keyring has.", synopsis: "[-n] [-u] \(source)",
        options: [
            CommandOption("n", word: "dry-run", "Say what would be added, and add nothing."),
            CommandOption("u", word: "undo", "Delete what imports have added and nobody has changed since."),
        ],
        notes: [
            """
            The other keyring must run in this session, and stays as it is. Items that the keychain has already are \
            left out, so a repetition goes on. The exit status is 1 when something else was left out, which is named.
            """
        ], operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        let name = arguments.operands[0].text
        guard name == source else { throw .usage("\"\(name)\" is none of \(source)") }
        guard !session.writesJSON else {
            throw .failed("import-from writes no JSON", remedy: "Repeat the command without --json.")
        }
        let words = arguments.has("u") ? ["--undo-import"] : ["--import"] + (arguments.has("n") ? ["--dry-run"] : [])
        try OtherProgram.become("keychain-secrets", words.map { Argument($0) }, session)
    }
}
