import CommandOptions

/// `import-from`: adds what another keyring, a browser or another program for passwords has.
enum ImportFrom {
    /// The work is that of `keychain-secrets`, which speaks to the bus and owns what programs of the desktop store.
    private static let keyring = "gnome-keyring", keyringFile = "keyring-file", wallet = "kwallet"

    static let command = Command(
        "import-from", "Add to the keychain what another keyring or program for passwords has.",
        synopsis: """
            [-n | -u] gnome-keyring | [-n | -u] kwallet | [-n] [-F number] keyring-file file | [-n] [-U] source file | \
            [-n] [-U] pass [folder] | -u source
            """,
        options: [
            CommandOption("n", word: "dry-run", "Say what would be added, and add nothing."),
            CommandOption("u", word: "undo", "Delete what imports from there have added and nobody has changed since."),
            CommandOption(
                "F", word: "password-fd", value: "number",
                "With keyring-file: read its password from this descriptor, a line."),
            CommandOption("U", "Change passwords that the keychain has otherwise; not with a keyring."),
        ],
        notes: [
            "gnome-keyring and kwallet must run in this session, and stay as they are.",
            """
            keyring-file is a file of gnome-keyring's, from ~/.local/share/keyrings, which is read without it. Its \
            password is asked for where it has one.
            """,
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
        // Nobody who asks what would happen wants it done.
        case _ where arguments.has("n") && arguments.has("u"): throw .usage(nil)
        case nil where !arguments.has("U"): try importKeyring(name, file, arguments, session)
        case _ where arguments.value("F") != nil: throw .usage("--password-fd goes with keyring-file")
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

    private static func importKeyring(
        _ name: String, _ file: Argument?, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        let undoes = arguments.has("u")
        guard [keyring, wallet].contains(name) && file == nil || name == keyringFile && (file == nil) == undoes else {
            throw .usage(nil)
        }
        var words = [undoes ? "--undo-import" : "--import"].map { Argument($0) }
        if arguments.has("n") { words.append(Argument("--dry-run")) }
        if name == wallet { words.append(Argument("--kwallet")) }
        if name == keyringFile, undoes { words.append(Argument("--keyring-files")) }
        if let file { words += [Argument("--keyring-file"), file] }
        if let number = arguments.value("F") { words += [Argument("--password-fd"), number] }
        try OtherProgram.become("keychain-secrets", words, session)
    }
}
