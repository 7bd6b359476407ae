import CommandOptions
import LinuxSystem

/// `import-from 1password`: the logins and notes in an archive that 1Password exports (1PUX).
///
/// unzip takes the text out of the archive. Whatever has a password is a login; the value of a secure note is its text.
struct OnePasswordVaults {
    private var items: [ImportedItem] = []
    private var report = LoginReport()

    private static let entry = "export.data"
    /// So many bytes the text may have: some 15,000 items.
    private static let limit = 32 << 20
    /// The time for unzip, in milliseconds.
    private static let patience = 60_000
    private static let note = "003"

    /// Reads the whole archive.
    ///
    /// - Throws: a failure for a file that cannot be read, or is no export of 1Password's, and without unzip.
    static func logins(
        of path: Argument, _ session: Session
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        guard let program = session.path(ofProgram: "unzip") else {
            throw .failed(
                "unzip is not installed", cause: "It opens the archives of 1Password.", remedy: "Install unzip.")
        }
        let root = try JSONPart(try text(of: try ExportedFile.opened(path, session), program))
        guard let accounts = root.member("accounts")?.elements else { throw .noArchive }
        var found = OnePasswordVaults()
        for vault in accounts.flatMap({ $0.member("vaults")?.elements ?? [] }) {
            for item in vault.member("items")?.elements ?? [] { found.take(item.member("item") ?? item) }
        }
        return (found.items, found.report)
    }

    /// unzip opens its own input, whatever the file's name means to it, and asks nobody for a password.
    private static func text(of file: FileDescriptor, _ program: String) throws(CommandFailure) -> SecretBytes {
        let unzip = ProgramOutput(of: program, environment: [:], limit: limit, patience: patience)
        do throws(SystemError) { return try unzip.text(["-P", "", "-p", "/dev/stdin", entry], input: file) } catch {
            throw .noArchive
        }
    }

    private mutating func take(_ item: JSONPart) {
        let (details, title) = (item.member("details"), item.member("overview")?.member("title")?.string ?? "")
        let fields = details?.member("loginFields")?.elements ?? []
        let password = Self.field("password", in: fields) ?? details?.member("password")
        let isNote = password == nil && item.member("categoryUuid")?.string == Self.note
        guard isNote || password != nil else { return report.unread.append((title, .kind)) }
        let login = ImportedLogin(
            title: title, url: isNote ? "" : item.member("overview")?.member("url")?.string ?? "",
            account: Self.field("username", in: fields)?.string ?? "", realm: "",
            note: isNote ? "" : details?.member("notesPlain")?.string ?? "",
            password: (isNote ? details?.member("notesPlain") : password)?.secret ?? SecretBytes(count: 0))
        guard login.isWhole else { return report.empty += 1 }
        for name in Self.lost(item) { report.lost[name, default: 0] += 1 }
        items.append(login.item)
    }

    private static func field(_ designation: String, in fields: [JSONPart]) -> JSONPart? {
        fields.first { $0.member("designation")?.string == designation }?.member("value")
    }

    private static func isTaken(_ field: JSONPart) -> Bool {
        ["username", "password"].contains(field.member("designation")?.string)
    }

    /// The parts of an item that are filled and that the keychain has no place for.
    private static func lost(_ item: JSONPart) -> [String] {
        let (details, overview) = (item.member("details"), item.member("overview"))
        let parts = [
            // Fields of the website's form beyond account and password have no designation.
            (
                "loginFields",
                details?.member("loginFields")?.elements.map {
                    $0.contains { !isTaken($0) && $0.member("value")?.isFilled == true }
                }
            ),
            ("passwordHistory", details?.member("passwordHistory")?.isFilled),
            ("tags", overview?.member("tags")?.isFilled),
            ("urls", overview?.member("urls")?.elements.map { $0.count > 1 }),
            (
                "sections",
                details?.member("sections")?.elements.map { $0.contains { $0.member("fields")?.isFilled == true } }
            ),
        ]
        return parts.filter { $0.1 == true }.map(\.0)
    }
}

extension CommandFailure {
    fileprivate static var noArchive: CommandFailure {
        .failed(
            "import-from: the file is no export of 1Password's",
            cause: "unzip finds no export.data of at most 32 MiB in it; nothing was imported.",
            remedy: "Export the account in 1Password as 1PUX.")
    }
}
