import CommandOptions

/// `import-from`: adds what another keyring, a browser or another program for passwords has.
enum ImportFrom {
    /// The work is that of `keychain-secrets`, which speaks to the bus and owns what programs of the desktop store.
    private static let keyring = "gnome-keyring"

    static let command = Command(
        "import-from", "Add to the keychain what another keyring or program for passwords has.",
        synopsis: "[-n | -u] gnome-keyring | [-n] [-U] csv file | [-n] [-U] pass [folder] | -u csv | -u pass",
        options: [
            CommandOption("n", word: "dry-run", "Say what would be added, and add nothing."),
            CommandOption("u", word: "undo", "Delete what imports from there have added and nobody has changed since."),
            CommandOption("U", "With csv and pass: change passwords that the keychain has otherwise."),
        ],
        notes: [
            """
            gnome-keyring must run in this session, and stays as it is. The file of csv is what browsers, KeePassXC, \
            Bitwarden, 1Password and others export; its first line names the columns. The folder of pass is \
            ~/.password-store, and gpg opens its files. Items that the keychain has already are left out, so a \
            repetition goes on. The exit status is 1 when an item stayed out for another reason, which is named.
            """
        ],
        examples: ["security import-from csv --dry-run passwords.csv", "security import-from pass"],
        operands: 1...2, mixesOptions: true
    ) { arguments, session throws(CommandFailure) in
        let (name, file) = (arguments.operands[0].text, arguments.operands.dropFirst().first)
        switch (LoginSource(rawValue: name), file) {
        case (nil, nil) where name == keyring && !arguments.has("U"): try importKeyring(arguments, session)
        case (let source?, nil) where arguments.has("u"): try ImportUndo.delete(from: source, in: session)
        case (.table, let file?) where !arguments.has("u"):
            try add(try LoginTable.logins(of: file, session), from: .table, arguments, session)
        case (.store, _) where !arguments.has("u"):
            try add(try PasswordStore.logins(in: file?.text, session), from: .store, arguments, session)
        default: throw .usage(nil)
        }
    }

    private static func add(
        _ found: (logins: [ImportedLogin], report: LoginReport), from source: LoginSource,
        _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        try ImportLogins.add(
            found: found, from: source, isTrial: arguments.has("n"), replaces: arguments.has("U"), session)
    }

    private static func importKeyring(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        guard !session.writesJSON else {
            throw .failed("import-from writes no JSON", remedy: "Repeat the command without --json.")
        }
        let words = arguments.has("u") ? ["--undo-import"] : ["--import"] + (arguments.has("n") ? ["--dry-run"] : [])
        try OtherProgram.become("keychain-secrets", words.map { Argument($0) }, session)
    }
}
