import CommandOptions

/// `import-from`: adds what another keyring, a browser or another program for passwords has.
enum ImportFrom {
    /// The work is that of `keychain-secrets`, which speaks to the bus and owns what programs of the desktop store.
    private static let keyring = "gnome-keyring"
    /// A table that most programs for passwords export.
    private static let table = "csv"

    static let command = Command(
        "import-from", "Add to the keychain what another keyring or program for passwords has.",
        synopsis: "[-n] [-u] \(keyring) | [-n] [-u] [-U] \(table) [file]",
        options: [
            CommandOption("n", word: "dry-run", "Say what would be added, and add nothing."),
            CommandOption("u", word: "undo", "Delete what imports have added and nobody has changed since."),
            CommandOption("U", "With \(table): change passwords that the keychain has otherwise."),
        ],
        notes: [
            """
            gnome-keyring must run in this session, and stays as it is. The file of csv is what browsers, KeePassXC, \
            Bitwarden, 1Password and others export; its first line names the columns. Items that the keychain has \
            already are left out, so a repetition goes on. The exit status is 1 when an item stayed out for another \
            reason, which is named.
            """
        ],
        examples: ["security import-from csv --dry-run passwords.csv"],
        operands: 1...2, mixesOptions: true
    ) { arguments, session throws(CommandFailure) in
        switch (arguments.operands[0].text, arguments.operands.dropFirst().first) {
        case (keyring, nil) where !arguments.has("U"): try importKeyring(arguments, session)
        case (table, nil) where arguments.has("u"): try ImportUndo.run(session)
        case (table, let file?) where !arguments.has("u"):
            try UnlockOffer(session).run { () throws(CommandFailure) in
                try ImportLogins.run(file, isTrial: arguments.has("n"), replaces: arguments.has("U"), session)
            }
        default: throw .usage(nil)
        }
    }

    private static func importKeyring(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        guard !session.writesJSON else {
            throw .failed("import-from writes no JSON", remedy: "Repeat the command without --json.")
        }
        let words = arguments.has("u") ? ["--undo-import"] : ["--import"] + (arguments.has("n") ? ["--dry-run"] : [])
        try OtherProgram.become("keychain-secrets", words.map { Argument($0) }, session)
    }
}
