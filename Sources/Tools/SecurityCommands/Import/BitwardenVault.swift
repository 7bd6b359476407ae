import CommandOptions
import LinuxSystem

/// `import-from bitwarden`: the logins and notes that Bitwarden exports as JSON.
///
/// The value of a secure note is its text: recovery codes and the like are secrets, and no comments.
struct BitwardenVault {
    private var items: [ImportedItem] = []
    private var report = LoginReport()

    /// The kinds of items, as Bitwarden numbers them. All others have no place in a keychain.
    private enum Kind: Int { case login = 1, note }
    /// Members of an item, and of its login, that the keychain has no place for.
    private static let lost = (item: ["fields", "folderId", "passwordHistory"], login: ["totp", "fido2Credentials"])

    /// Reads the whole file.
    ///
    /// - Throws: a failure for a file that cannot be read, is encrypted, or is no export of Bitwarden's.
    static func logins(
        of path: Argument, _ session: Session
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        let root = try JSONPart(try ExportedFile.content(path, session))
        guard root.member("encrypted")?.isTrue != true else { throw .encrypted }
        guard let items = root.member("items")?.elements else { throw .withoutItems }
        var vault = BitwardenVault()
        for item in items { vault.take(item) }
        return (vault.items, vault.report)
    }

    private mutating func take(_ item: JSONPart) {
        switch Kind(rawValue: item.member("type")?.number ?? 0) {
        case .login: take(login(item), item)
        case .note: take(note(item), item)
        case nil: report.unread.append((item.member("name")?.string ?? "", .kind))
        }
    }

    private mutating func take(_ login: ImportedLogin, _ item: JSONPart) {
        guard login.isWhole else { return report.empty += 1 }
        let lost = Self.lost.item.filter { item.member($0)?.isFilled == true }
        let lostOfLogin = Self.lost.login.filter { item.member("login")?.member($0)?.isFilled == true }
        let hasMore = (item.member("login")?.member("uris")?.elements ?? []).count > 1
        for name in lost + lostOfLogin + (hasMore ? ["uris"] : []) { report.lost[name, default: 0] += 1 }
        items.append(login.item)
    }

    private func login(_ item: JSONPart) -> ImportedLogin {
        let login = item.member("login")
        return ImportedLogin(
            title: item.member("name")?.string ?? "",
            url: login?.member("uris")?.elements?.first?.member("uri")?.string ?? "",
            account: login?.member("username")?.string ?? "", realm: "", note: item.member("notes")?.string ?? "",
            password: login?.member("password")?.secret ?? SecretBytes(count: 0))
    }

    private func note(_ item: JSONPart) -> ImportedLogin {
        ImportedLogin(
            title: item.member("name")?.string ?? "", url: "", account: "", realm: "", note: "",
            password: item.member("notes")?.secret ?? SecretBytes(count: 0))
    }
}

extension CommandFailure {
    fileprivate static var encrypted: CommandFailure {
        .failed(
            "import-from: the file is encrypted", cause: "Only Bitwarden opens it; nothing was imported.",
            remedy: "Export the vault again as .json, not as .json (Encrypted), and delete the file afterwards.")
    }

    fileprivate static var withoutItems: CommandFailure {
        .failed(
            "import-from: the file is no export of Bitwarden's",
            cause: "It has no list of items; nothing was imported.",
            remedy: "Export the vault in Bitwarden as .json.")
    }
}
