import CommandOptions

/// The answer to a command that does not exist: the nearest one, or, for one of macOS's, what does its work here.
package enum UnknownCommand {
    /// The line that a script sees, why, and what to do.
    ///
    /// - Parameter commands: the names that exist.
    static func explanation(
        _ name: String, among commands: [String]
    ) -> (problem: String, cause: String, remedy: String) {
        if let (reason, instead) = onMacOS[name] { return ("\(name): \(reason)", "", instead) }
        if MacCommand.absent.contains(name) {
            return ("\(name): this command of macOS's is not here", "", "See security-mac(7).")
        }
        let problem = "unknown command \"\(name)\""
        guard let nearest = NearestName.find(name, among: commands) ?? meant(name, among: commands) else {
            return (problem, "", "See `security help`.")
        }
        return (problem, "No command begins so.", "Did you mean `security \(nearest)`?")
    }

    /// The command whose name begins the word (`generate-password`), or does what a command of that name does in other
    /// programs.
    private static func meant(_ name: String, among commands: [String]) -> String? {
        let word = String(name.prefix { $0 != "-" && $0 != "_" })
        return [word, elsewhere[word]].compactMap(\.self).first(where: commands.contains)
    }

    /// Names that other password managers have.
    private static let elsewhere = [
        "clear": "rm", "del": "rm", "get": "show", "insert": "add", "lookup": "show", "ls": "list", "new": "add",
        "password": "show", "put": "add", "read": "show", "search": "list", "store": "add", "view": "browse",
    ]

    /// The commands of macOS whose subject there is not on Linux.
    package static let onMacOS: [String: (reason: String, instead: String)] = {
        let rights = "Linux has no Authorization Services."
        let cards = "There is no CryptoTokenKit here."
        let moved = "Programs are never translocated here."
        let disks = "Disks are encrypted by LUKS here."
        let modules = "There is no CDSA here."
        let card = "`pkcs11-tool -L` shows smart cards; keys of the TPM are in the keychain."
        return [
            "authorize": (rights, "Use polkit: pkcheck, and rules in /etc/polkit-1."),
            "authorizationdb": (rights, "Use polkit: pkaction, and rules in /etc/polkit-1."),
            "execute-with-privileges": (rights, "Use pkexec or sudo."),
            "smartcards": (cards, card), "list-smartcards": (cards, card), "export-smartcard": (cards, card),
            "translocate-create": (moved, "Nothing has to be done."),
            "translocate-policy-check": (moved, "Nothing has to be done."),
            "translocate-status-check": (moved, "Nothing has to be done."),
            "translocate-original-path": (moved, "Nothing has to be done."),
            "requirement-evaluate": (
                "There are no code requirements here.", "See `security help codesign` and `security help identity`."
            ),
            "filevault": (disks, "Use cryptsetup or systemd-cryptenroll."),
            "create-filevaultmaster-keychain": (disks, "Use cryptsetup or systemd-cryptenroll."),
            "platformsso": ("There is no Platform SSO here.", "Use the PAM module of your directory."),
            "create-db": (modules, "Nothing has to be done."), "install-mds": (modules, "Nothing has to be done."),
            "user-trust-settings-enable": ("The user's trust settings are always on.", "Nothing has to be done."),
            "leaks": ("This command cannot look into itself.", "Run it with valgrind."),
        ]
    }()
}
