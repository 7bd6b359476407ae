package import CommandOptions

/// A command of macOS's that is here too, and what differs: the table of security-mac(7).
package struct MacCommand: Sendable {
    package let name: String
    /// The letters of macOS's options. Those that the command lacks here are refused.
    private let letters: [Character]
    /// Differences in what the command does, a sentence each.
    private let differences: [String]

    private init(_ name: String, _ letters: String = "", _ differences: String...) {
        (self.name, self.letters, self.differences) = (name, Array(letters), differences)
    }

    /// All that differs, in sentences; none where nothing is known to differ.
    ///
    /// - Parameter options: those that the command has here.
    package func sentences(having options: [CommandOption]) -> [String] {
        let refused = letters.filter { letter in !options.contains { $0.letter == letter } }
        let withoutEffect = options.filter { $0.meaning.hasPrefix("Accepted for old scripts") }
        let ours = options.filter { !letters.contains($0.letter) }
        return named("Refused", refused.map { "-\($0)" }) + named("Taken without effect", withoutEffect.map(\.names))
            + differences + named("Of this keychain's own", ours.map(\.names), separator: "; ")
    }

    private func named(_ what: String, _ options: [String], separator: String = ", ") -> [String] {
        options.isEmpty ? [] : ["\(what): \(options.joined(separator: separator))."]
    }

    package static let table = [
        MacCommand("help", "", "The commands that only this keychain has are listed too."),
        MacCommand("list-keychains", "ds", emptyDomains, "A name that does not exist is refused, and the list stays."),
        MacCommand("default-keychain", "ds", emptyDomains),
        MacCommand("login-keychain", "ds", emptyDomains, "-s is refused: the login keychain is always the same."),
        MacCommand(
            "create-keychain", "Pp",
            "The file at the path names the keychain and holds no secret; the items are in a store of their own.",
            "The system service keeps no keychains with names."),
        MacCommand(
            "delete-keychain", "", "The login keychain is deleted with --login and its password alone.",
            "A keychain with items of other programs must be open, or its password is asked for.",
            "A copy of the file deletes nothing while the original is there."),
        MacCommand("lock-keychain", "a", "A keychain without a password stays open."),
        MacCommand("unlock-keychain", "up", "A keychain without a password is always open."),
        MacCommand("set-keychain-settings", "lut"),
        MacCommand(
            "set-keychain-password", "op",
            "An empty new password removes the password, with all items that may only exist where there is one."),
        MacCommand("show-keychain-info", "", "A locked keychain gives 36 at once: its password is not asked for."),
        MacCommand(
            "dump-keychain", "adir", "The values of items that other programs have added are never shown.",
            "Of anchored programs' items nothing is shown, but to root."),
        MacCommand(
            "create-keypair", "asftdkAT", "RSA keys have 3072 bits unless told otherwise, not 512.",
            "The algorithms are rsa and ec."),
        MacCommand("add-generic-password", "acCDGjlswpXATU", ofPrograms),
        MacCommand(
            "add-internet-password", "acCdDjlpPrstwXATU", ofPrograms,
            "Without -d, a login that a helper of git or docker keeps is not the same item."),
        MacCommand("add-certificates", "k"),
        MacCommand("find-generic-password", "acCDGjlsgw", foundText),
        MacCommand("delete-generic-password", "acCDGjls", versions),
        MacCommand(
            "find-internet-password", "acCdDjlpPrstgw", foundText, "Items without a security domain come first."),
        MacCommand("delete-internet-password", "acCdDjlpPrst", versions),
        MacCommand("find-key", "acdDejlrstuvw"),
        MacCommand(
            "item", "aDuqdfgpPlj", "-j writes an object a line.", "Items of this command alone are found.",
            "Items are not shared: -s is refused.", "Dates are in UTC."),
        MacCommand("set-key-partition-list", "acdDejlrstuvwSk", noted),
        MacCommand("set-generic-password-partition-list", "acCDGjlsSk", noted),
        MacCommand("set-internet-password-partition-list", "acCdDjlpPrstSk", noted),
        MacCommand("find-certificate", "acempZ", "The first is always the oldest."),
        MacCommand(
            "find-identity", "psv", "Apple's roots are not among the system's: trust them first, with add-trusted-cert."
        ),
        MacCommand("delete-certificate", "cZt"),
        MacCommand("delete-identity", "cZt"),
        MacCommand(
            "export", "ktfwpPo", "The formats bsafe, netscape, openssh1 and raw are not written.",
            "PKCS #12 is encrypted with AES-256, and with 3DES only for --legacy.",
            "The file is its owner's alone. A key that does not leave the keychain ends the export."),
        MacCommand(
            "import", "ktfwxPaAT", "All of the file is imported, or nothing.",
            "The format is told by the bytes, whatever -f and -t say.", "Imported items belong to this command."),
        MacCommand(
            "cms", "CDESGHNPTYZcehikoprsuvn", "-C is refused by name.",
            "The digest is SHA-256 unless one is given, not SHA-1.",
            "Keys in the Secure Enclave do not sign messages."),
        MacCommand(
            "add-trusted-cert", "drpaseukio", "A setting counts in this command's own evaluations alone.",
            "-d is refused by name: roots for all users belong to the system."),
        MacCommand("remove-trusted-cert", "dD", "-d is refused by name."),
        MacCommand("dump-trust-settings", "sd", "Only the user's own settings are there."),
        MacCommand("trust-settings-export", "sd", "Only the user's own settings are there."),
        MacCommand(
            "trust-settings-import", "d", "Settings for other policies than basic and codeSign are left out.",
            "A certificate that is not in the keychain ends the import. Other settings stay."),
        MacCommand(
            "verify-cert", "crpknsedCLlNPtvRq",
            "Nothing is fetched: -R ocsp and -R crl find nothing out, and -R require fails but for a root.",
            "An authority's certificate is taken without -l too, where the policy lets it.",
            "No certificate is taken from a server: a URL is refused."),
        MacCommand("error"),
    ]

    private static let emptyDomains =
        "The domains common and dynamic are empty; system has the system service's keychain."
    private static let ofPrograms =
        "The item's group decides who may use it, not -A and -T. A password in the command line is visible to others."
    private static let foundText =
        "-w writes UTF-8 as it is. Only with -M all that is not printable ASCII is hexadecimal."
    private static let versions = "The item can be brought back with undelete."
    private static let noted = "The list is accepted, without effect."

    /// Commands of macOS's that are not here, though their subject is.
    package static let absent = [
        "set-identity-preference", "get-identity-preference",
    ]
}
