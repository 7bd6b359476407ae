import CommandOptions

/// `import-from`: adds what another keyring, a browser or another program for passwords has.
enum ImportFrom {
    /// The work is that of `keychain-secrets`, which speaks to the bus and owns what programs of the desktop store.
    private static let keyring = "gnome-keyring"

    static let command = Command(
        "import-from", "Add to the keychain what another keyring or program for passwords has.",
        synopsis: "[-n | -u] gnome-keyring | [-n] [-U] source file | [-n] [-U] pass [folder] | -u source",
        options: [
            CommandOption("n", word: "dry-run", "Say what would be added, and add nothing."),
            CommandOption("u", word: "undo", "Delete what imports from there have added and nobody has changed since."),
            CommandOption("U", "Change passwords that the keychain has otherwise; not with gnome-keyring."),
        ],
        notes: [
            "gnome-keyring must run in this session, and stays as it is.",
            """
            csv is what browsers, KeePassXC, Bitwarden, 1Password and others export; the first line of the file names \
            the columns.
            """,
            "bitwarden is what Bitwarden exports as JSON, not encrypted. Its notes become passwords too.",
            "1password is what 1Password exports as 1PUX; unzip opens it. Its notes become passwords too.",
            "macos is what security dump-keychain -d writes, on macOS or here.",
            "The folder of pass is ~/.password-store, and gpg opens its files.",
            """
            Items that the keychain has already are left out, so a repetition goes on. The exit status is 1 when an \
            item stayed out for another reason, which is named.
            """,
        ],
        examples: ["security import-from csv --dry-run passwords.csv", "security import-from pass"],
        operands: 1...2, mixesOptions: true
    ) { arguments, session throws(CommandFailure) in
        let (name, file) = (arguments.operands[0].text, arguments.operands.dropFirst().first)
        switch LoginSource(rawValue: name) {
        case nil where name == keyring && file == nil && !arguments.has("U"): try importKeyring(arguments, session)
        case let source? where arguments.has("u") && file == nil: try ImportUndo.delete(from: source, in: session)
        case let source? where !arguments.has("u"):
            try add(try logins(of: source, file, session), from: source, arguments, session)
        default: throw .usage(nil)
        }
    }

    private static func logins(
        of source: LoginSource, _ file: Argument?, _ session: Session
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        switch (source, file) {
        case (.store, _): try PasswordStore.logins(in: file?.text, session)
        case (.table, let file?): try LoginTable.logins(of: file, session)
        case (.bitwarden, let file?): try BitwardenVault.logins(of: file, session)
        case (.onePassword, let file?): try OnePasswordVaults.logins(of: file, session)
        case (.dump, let file?): try ImportedDump.items(of: file, session)
        case (_, nil): throw .usage(nil)
        }
    }

    private static func add(
        _ found: (items: [ImportedItem], report: LoginReport), from source: LoginSource,
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
