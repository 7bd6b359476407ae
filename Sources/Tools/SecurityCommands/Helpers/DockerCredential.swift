import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `docker-credential`: the credential helper of docker, podman and other programs that speak its protocol.
///
///     { "credsStore": "keychain" }                                    ; in ~/.docker/config.json
///
/// A login is an internet password in docker's own security domain; its comment is the server as the program named it.
/// Those programs read errors from standard output, and know what is missing by its words.
enum DockerCredential {
    static let command = Command(
        "docker-credential", "Serve docker as its credential helper.", synopsis: "get|store|erase|list|version",
        notes: [
            "Docker calls it as docker-credential-keychain, and speaks with it through its standard input and output:",
            "    { \"credsStore\": \"keychain\" }        in ~/.docker/config.json",
        ],
        examples: [
            "security setup -y docker", "echo registry.example | docker-credential-keychain get",
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        do throws(CommandFailure) { try perform(arguments.operands[0].text, session) } catch {
            if let message = error.message { session.output.write(message + "\n") }
            throw .shown
        }
    }

    private static func perform(_ operation: String, _ session: Session) throws(CommandFailure) {
        switch operation {
        case "get": try get(session)
        case "store": try store(session)
        case "erase": try erase(session)
        case "list": try list(session)
        case "version": session.output.write("docker-credential-keychain (swift-keychain)\n")
        default: throw .failed("Unknown credential action `\(operation)`")
        }
    }

    private static func get(_ session: Session) throws(CommandFailure) {
        let (name, server) = try readServer(session)
        guard let item = try logins(at: server, ["r_Attributes", "r_Data"], session).first else { throw .notStored }
        session.output.write(
            .object([
                ("ServerURL", .string(name)), ("Username", .string(item.attributes[.account]?.string ?? "")),
                ("Secret", .bytes(item.password)),
            ]))
    }

    /// A server has one login: another account's takes the place of the one before.
    private static func store(_ session: Session) throws(CommandFailure) {
        let (name, server, account, secret) = try readLogin(session)
        for old in try StoredLogin(of: .docker, at: server, account: nil).all(
            returning: ["r_Attributes", "r_PersistentRef"], session) where old.attributes[.account]?.string != account
        {
            try StoredLogin.delete(old, session)
        }
        let description: [(code: String, value: RawValue)] = [
            ("labl", .string("Docker Credentials")), ("icmt", .string(name)),
            ("desc", .string(CredentialHelper.docker.kind)),
        ]
        try StoredLogin(of: .docker, at: server, account: account).store(secret, description: description, session)
    }

    private static func erase(_ session: Session) throws(CommandFailure) {
        let (_, server) = try readServer(session)
        let logins = try logins(at: server, ["r_PersistentRef"], session)
        guard !logins.isEmpty else { throw .notStored }
        for login in logins { try StoredLogin.delete(login, session) }
    }

    /// The logins for a server. One that was stored with a port or a path is found without them, as by the helpers of
    /// other systems, when there is no nearer one and no other.
    private static func logins(
        at server: ServerAddress, _ returns: [String], _ session: Session
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        let exact = try StoredLogin(of: .docker, at: server, account: nil).all(returning: returns, session)
        guard exact.isEmpty else { return exact }
        let others = try StoredLogin(of: .docker, at: server.looser, account: nil).all(returning: returns, session)
        return others.count == 1 ? others : []
    }

    private static func list(_ session: Session) throws(CommandFailure) {
        let logins = try StoredLogin.all(of: .docker, session)
        session.output.write(
            .object(
                logins.map { login in
                    let name = login.attributes[.comment]?.string ?? login.attributes[.server]?.string ?? ""
                    return (name, .string(login.attributes[.account]?.string ?? ""))
                }))
    }
}

// MARK: - Input

extension DockerCredential {
    private static func readServer(
        _ session: Session
    ) throws(CommandFailure) -> (name: String, server: ServerAddress) {
        let name = try readAll(session).withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }
        let trimmed = String(name.filter { !$0.isWhitespace && !$0.isNewline })
        guard !trimmed.isEmpty else { throw .failed("no credentials server URL") }
        return (trimmed, try server(trimmed))
    }

    private static func readLogin(
        _ session: Session
    ) throws(CommandFailure) -> (name: String, server: ServerAddress, account: String, secret: SecretBytes) {
        let input = try readAll(session)
        return try input.withSpan { (text) throws(CommandFailure) in
            let object: JSONObject
            do throws(JSONObject.Malformed) { object = try JSONObject(text) } catch {
                throw .failed("the input is not a JSON object with ServerURL, Username and Secret")
            }
            guard let name = object.text("ServerURL", in: text), !name.isEmpty else {
                throw .failed("no credentials server URL")
            }
            guard let account = object.text("Username", in: text), !account.isEmpty else {
                throw .failed("no credentials username")
            }
            let secret = object.string("Secret", in: text) ?? SecretBytes(count: 0)
            return (name, try server(name), account, secret)
        }
    }

    private static func readAll(_ session: Session) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) { return try session.input.readAll() } catch {
            throw CommandFailure("standard input", error)
        }
    }

    private static func server(_ name: String) throws(CommandFailure) -> ServerAddress {
        guard let server = ServerAddress(server: name) else {
            throw .failed("\"\(name)\" is not the address of a server")
        }
        return server
    }
}

extension JSONObject {
    fileprivate func text(_ key: String, in text: Span<UInt8>) -> String? {
        string(key, in: text)?.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }
    }
}

extension CommandFailure {
    /// The programs look for these words.
    fileprivate static let notStored = failed("credentials not found in native keychain")
}
