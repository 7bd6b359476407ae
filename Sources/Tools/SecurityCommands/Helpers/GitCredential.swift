import KeychainModel
import KeychainWire
import LinuxSystem

/// `git-credential`: git's credential helper (gitcredentials(7), git-credential(1)).
///
///     git config --global credential.helper keychain
///
/// A login is an internet password; behind the password, on lines of their own, are the time it expires and the token that
/// renews it, where git has them.
enum GitCredential {
    static let command = Command(
        "git-credential", "Serve git as its credential helper.", synopsis: "get|store|erase",
        notes: [
            "Git calls it as git-credential-keychain, and speaks with it through its standard input and output:",
            "    git config --global credential.helper keychain",
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        let description = try GitDescription(reading: session.input)
        guard let server = description.server else { return }
        switch arguments.operands[0].text {
        case "get": try get(description, server, session)
        case "store": try store(description, server, session)
        case "erase": try erase(description, server, session)
        // Git will have operations that this release does not know, and wants them passed over.
        default: return
        }
    }

    private static func get(
        _ description: GitDescription, _ server: ServerAddress, _ session: Session
    ) throws(CommandFailure) {
        let login = StoredLogin(at: server, account: description["username"])
        guard let item = try login.first(returning: ["r_Attributes", "r_Data"], session) else { return }
        let account = item.attributes[.account]?.string ?? ""
        guard account.isOneLine, let content = GitPassword(item.password) else {
            return session.explain(
                "the login for \(server.host) cannot be written on lines, which is all git can read.")
        }
        session.output.write { buffer in
            buffer.append(utf8: "username=\(account)\npassword=")
            content.password.withSpan { buffer.append($0) }
            buffer.append(utf8: "\n")
            for line in content.rest {
                line.withSpan { buffer.append($0) }
                buffer.append(utf8: "\n")
            }
        }
    }

    private static func store(
        _ description: GitDescription, _ server: ServerAddress, _ session: Session
    ) throws(CommandFailure) {
        guard let account = description["username"], let password = description.secret("password") else { return }
        let value = SecretBuffer(capacity: 256)
        password.withSpan { value.append($0) }
        for key in GitPassword.furtherKeys {
            guard let further = description.secret(key) else { continue }
            value.append(utf8: "\n\(key)=")
            further.withSpan { value.append($0) }
        }
        try StoredLogin(at: server, account: account).store(
            value.finish(), description: [("labl", .string(server.host)), ("desc", .string("git credential"))], session)
    }

    /// Git erases what a server has refused. A password that was changed meanwhile is another one, and stays.
    private static func erase(
        _ description: GitDescription, _ server: ServerAddress, _ session: Session
    ) throws(CommandFailure) {
        let login = StoredLogin(at: server, account: description["username"])
        let refused = description.secret("password")
        for item in try login.all(returning: ["r_Data", "r_PersistentRef"], session) {
            let stored = GitPassword(item.password)?.password
            if let refused, stored?.isEqual(to: refused) != true { continue }
            try StoredLogin.delete(item, session)
        }
    }
}

/// What git says of a login: lines of `key=value` up to an empty one.
struct GitDescription {
    private var values: [String: SecretBytes] = [:]

    /// - Throws: ``CommandFailure/failed(_:remedy:)`` for input that is not of this form.
    init(reading input: Input) throws(CommandFailure) {
        do throws(SystemError) {
            while let line = try input.readLine(), line.count > 0 { take(line) }
        } catch { throw CommandFailure("standard input", error) }
    }

    /// A key with brackets may come several times; none of those is of interest here.
    private mutating func take(_ line: SecretBytes) {
        line.withSpan { line in
            guard let mark = line.indices.first(where: { line[$0] == UInt8(ascii: "=") }) else { return }
            let key = String(decoding: line.array(0, mark), as: UTF8.self)
            values[key] = SecretBytes(copying: line.extracting((mark + 1)...))
        }
    }

    /// A value that is no secret; nil when it is missing or empty.
    subscript(key: String) -> String? {
        secret(key).map { $0.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) } }
    }

    func secret(_ key: String) -> SecretBytes? { values[key].flatMap { $0.count > 0 ? $0 : nil } }

    /// The server the login is for; nil when git did not say enough.
    var server: ServerAddress? {
        guard let scheme = self["protocol"], let host = self["host"] else { return nil }
        return ServerAddress(scheme: scheme, authority: host, path: self["path"])
    }
}

/// A stored value: the password, and on further lines what belongs to it.
struct GitPassword {
    static let furtherKeys = ["password_expiry_utc", "oauth_refresh_token"]

    let password: SecretBytes
    /// Lines that git understands.
    let rest: [SecretBytes]

    /// Takes a value apart; nil when git could not read the password back.
    init?(_ value: SecretBytes) {
        let lines = value.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } ? [] : bytes.lines }
        guard let first = lines.first, first.count > 0 else { return nil }
        password = first
        rest = lines.dropFirst().filter { line in
            Self.furtherKeys.contains { line.begins(with: $0 + "=") }
        }
    }
}

extension Span<UInt8> {
    fileprivate var lines: [SecretBytes] {
        var (lines, start) = ([SecretBytes](), 0)
        for index in indices where self[index] == UInt8(ascii: "\n") {
            lines.append(SecretBytes(copying: extracting(start..<index)))
            start = index + 1
        }
        return lines + [SecretBytes(copying: extracting(start...))]
    }
}

extension SecretBytes {
    fileprivate func begins(with text: String) -> Bool {
        let wanted = Array(text.utf8)
        return withSpan { $0.count >= wanted.count && $0.extracting(..<wanted.count).isEqual(to: wanted.span) }
    }
}

extension String {
    /// Whether nothing in it would end a line of git's.
    fileprivate var isOneLine: Bool {
        !utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == 0 }
    }
}
