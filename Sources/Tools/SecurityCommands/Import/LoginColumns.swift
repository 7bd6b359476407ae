import LinuxSystem

/// The meaning of each column of an exported table, by the names in its first row.
struct LoginColumns {
    private let names: [String]
    private let meanings: [Meaning?]

    private enum Meaning { case title, url, account, password, note, realm }

    /// The names, in lower case, that browsers and programs for passwords give their columns. Where several columns
    /// mean the same, the first that is filled counts.
    private static let known: [String: Meaning] = [
        "name": .title, "title": .title,
        "url": .url, "urls": .url, "website": .url, "web site": .url, "login_uri": .url, "login uri": .url,
        "username": .account, "user name": .account, "login_username": .account, "login": .account, "email": .account,
        "account": .account,
        "password": .password, "login_password": .password,
        "note": .note, "notes": .note, "extra": .note, "comments": .note,
        "httprealm": .realm,
    ]
    /// Columns that a login of the keychain has no place for and nobody misses: numbers, dates and looks of the other
    /// program.
    private static let immaterial: Set<String> = [
        "guid", "formactionorigin", "timecreated", "timelastused", "timepasswordchanged", "type", "favorite", "fav",
        "archived", "reprompt", "icon", "created", "last modified", "createtime", "modifytime",
    ]

    /// Reads the first row.
    ///
    /// - Throws: a failure for a table without passwords, or without what they are for.
    init(_ row: [SecretBytes]) throws(CommandFailure) {
        names = row.map { $0.text ?? "" }
        meanings = names.map { Self.known[$0.lowercased()] }
        guard meanings.contains(.password), meanings.contains(.url) || meanings.contains(.title) else {
            throw .failed(
                "import-from: the first line of the file does not name the columns",
                cause: "One must be called password, and one url, name or title; nothing was imported.",
                remedy: "Export the logins again, as CSV with a first line of names.")
        }
    }

    /// The login of a row.
    ///
    /// - Throws: a failure for a row of another length, and for text that is not UTF-8.
    func login(_ row: [SecretBytes], line: Int) throws(CommandFailure) -> ImportedLogin {
        guard row.count == names.count else {
            throw .badRow(line, "It has \(row.count) fields in place of \(names.count); nothing was imported.")
        }
        let address = try text(.url, row, line)
        return ImportedLogin(
            title: try text(.title, row, line), url: address, account: try text(.account, row, line),
            realm: try text(.realm, row, line), note: try text(.note, row, line),
            password: field(.password, row) ?? SecretBytes(count: 0))
    }

    /// The names of the columns of a row that are filled and that the keychain has no place for.
    func lost(_ row: [SecretBytes]) -> [String] {
        names.indices.filter {
            meanings[$0] == nil && !Self.immaterial.contains(names[$0].lowercased()) && row[$0].count > 0
        }.map { names[$0] }
    }

    private func field(_ meaning: Meaning, _ row: [SecretBytes]) -> SecretBytes? {
        row.indices.first { meanings[$0] == meaning && row[$0].count > 0 }.map { row[$0] }
    }

    private func text(_ meaning: Meaning, _ row: [SecretBytes], _ line: Int) throws(CommandFailure) -> String {
        guard let field = field(meaning, row) else { return "" }
        guard let text = field.text else {
            throw .badRow(line, "Its text is not UTF-8; nothing was imported.")
        }
        return text
    }
}

extension SecretBytes {
    /// A copy in ordinary memory, for what is no secret; nil when it is not UTF-8.
    fileprivate var text: String? { withSpan { $0.text(0, $0.count) } }
}

extension CommandFailure {
    fileprivate static func badRow(_ line: Int, _ cause: String) -> CommandFailure {
        .failed(
            "import-from: the row on line \(line) cannot be read", cause: cause,
            remedy: "Export the logins again, as CSV in UTF-8.")
    }
}
