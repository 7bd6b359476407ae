import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `git-credential`: git's credential helper (gitcredentials(7), git-credential(1)).
///
///     git config --global credential.helper keychain
///
/// A login is an internet password in git's own security domain; behind the password, on lines of their own, are the
/// time it expires and the token that renews it, where git has them.
enum GitCredential {
    static let command = Command(
        "git-credential", "Serve git as its credential helper.", synopsis: "get|store|erase",
        notes: [
            """
            Git calls it as git-credential-keychain, and speaks with it through its standard input and output. When \
            the keychain is locked it asks for the password on the terminal, unless GIT_TERMINAL_PROMPT is 0. Its \
            logins are internet passwords of the security domain git-credential, apart from all others.
            """
        ],
        examples: [
            "git config --global credential.helper keychain",
            "security add-internet-password -d git-credential -r htps -s git.example.org -a account -w",
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        let description = try GitDescription(reading: session.input)
        guard let server = description.server else { return }
        let operation = arguments.operands[0].text
        try UnlockOffer(session).run { () throws(CommandFailure) in
            switch operation {
            case "get": try get(description, server, session)
            case "store": try store(description, server, session)
            case "erase": try erase(description, server, session)
            // Git will have operations that this release does not know, and wants them passed over.
            default: return
            }
        }
    }

    private static func get(
        _ description: GitDescription, _ server: ServerAddress, _ session: Session
    ) throws(CommandFailure) {
        let login = StoredLogin(of: .git, at: server, account: description.account)
        guard let item = try login.first(returning: ["r_Attributes", "r_Data"], session) else { return }
        let account = item.attributes[.account]?.string ?? ""
        guard account.isOneLine, let content = GitPassword(item.password) else {
            return session.explain(
                "the login for \(server.name) cannot be written on lines, which is all git can read.")
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
        guard let account = description.account, let password = description.secret("password") else { return }
        let value = SecretBuffer(capacity: 256)
        password.withSpan { value.append($0) }
        for key in GitPassword.furtherKeys {
            guard let further = description.secret(key), further.count > 0 else { continue }
            value.append(utf8: "\n\(key)=")
            further.withSpan { value.append($0) }
        }
        try StoredLogin(of: .git, at: server, account: account).store(
            value.finish(),
            description: [("labl", .string(server.name)), ("desc", .string(CredentialHelper.git.kind))], session)
    }

    /// Git erases what a server has refused. A password that was changed meanwhile is another one, and stays.
    private static func erase(
        _ description: GitDescription, _ server: ServerAddress, _ session: Session
    ) throws(CommandFailure) {
        let login = StoredLogin(of: .git, at: server, account: description.account)
        let refused = description.secret("password")
        for item in try login.all(returning: ["r_Data", "r_PersistentRef"], session) {
            let stored = GitPassword(item.password)?.password
            if let refused, stored?.isEqual(to: refused) != true { continue }
            try StoredLogin.delete(item, session)
        }
    }
}

extension String {
    /// Whether nothing in it would end a line of git's.
    fileprivate var isOneLine: Bool {
        !utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == 0 }
    }
}
