/// The outcome of an import of logins.
struct LoginReport {
    /// Logins that were added, or would be.
    var added = 0
    /// Logins that the keychain has with the same password.
    var same = 0
    /// Logins that have the file's password now.
    var replaced = 0
    /// The names of logins that the keychain has with another password. It keeps its own.
    var different: [String] = []
    /// The names of logins that the keychain does not take, with the reason.
    var refused: [(name: String, reason: String)] = []
    /// The names of files that gpg does not open.
    var unreadable: [String] = []
    /// The names of what is in a store and was not read, with the reason.
    var unread: [(name: String, reason: Unread)] = []
    /// Logins without a password, or without what it is for.
    var empty = 0
    /// Columns that the keychain has no place for, with the number of rows in which they are filled.
    var lost: [String: Int] = [:]

    /// Why something in a store was not read. An item of another kind is no password: a card, or an identity.
    enum Unread { case link, folder, name, kind }

    /// Whether every password that was found is in the keychain.
    var isComplete: Bool { different.isEmpty && refused.isEmpty && unreadable.isEmpty && unread.isEmpty }

    /// Says it to the user: as lines, or as one JSON object.
    func write(to session: Session, isTrial: Bool) {
        if session.writesJSON { return session.output.write(json) }
        for line in lines(isTrial) { session.output.write("\(session.text(line).printable)\n") }
    }

    private var columns: [(name: String, count: Int)] { lost.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    private var json: JSONValue {
        .object([
            ("added", .number(Int64(added))), ("same", .number(Int64(same))), ("replaced", .number(Int64(replaced))),
            ("different", .array(different.map { .string($0) })),
            ("refused", .array(refused.map { .string($0.name) })),
            ("unreadable", .array(unreadable.map { .string($0) })),
            ("notRead", .array(unread.map { .string($0.name) })), ("withoutPassword", .number(Int64(empty))),
            ("leftOut", .object(columns.map { ($0.name, .number(Int64($0.count))) })),
        ])
    }

    private func lines(_ isTrial: Bool) -> [Words] {
        var lines: [Words] = [isTrial ? "would be added: \(added)" : "added: \(added)", "there already: \(same)"]
        if replaced > 0 { lines.append(isTrial ? "would be changed: \(replaced)" : "changed: \(replaced)") }
        if empty > 0 { lines.append("without a password, or without what it is for: \(empty)") }
        lines += columns.map { "left out, for want of a place: \($0.name), of \($0.count)" }
        lines += different.map { "\($0): the keychain has another password, and keeps it" }
        lines += refused.map { "\($0.name): the keychain does not take it: \($0.reason)" }
        lines += unreadable.map { "\($0): gpg does not open it" }
        lines += unread.map { Self.line($0.name, $0.reason) }
        return lines
    }

    private static func line(_ name: String, _ reason: Unread) -> Words {
        switch reason {
        case .link: "\(name): a link or no file, which is left out"
        case .folder: "\(name): a folder that cannot be read"
        case .name: "\(name): its name is not UTF-8"
        case .kind: "\(name): neither a login nor a note, and left out"
        }
    }
}
