import CodeSignature
import CommandOptions
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `codesign --create-team-key`.
enum CreateTeamKey {
    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let reference = try TeamKeyReference(arguments, "c")
        let key: TeamPublicKey
        switch reference {
        case .file(let path): key = try write(path, arguments, session)
        case .enclave(let label):
            guard try algorithm(arguments) ?? .p256 == .p256 else {
                throw .usage("the Secure Enclave makes p256 keys only")
            }
            key = try EnclaveTeamKey.make(label, session).publicKey
        }
        try ShowTeamID.show(key, session)
    }

    private static func algorithm(_ arguments: ParsedArguments) throws(CommandFailure) -> TeamKeyAlgorithm? {
        guard let name = arguments.value("a")?.text else { return nil }
        guard let algorithm = TeamKeyAlgorithm.allCases.first(where: { $0.name == name }) else {
            throw .usage("an algorithm is ed25519 or p256")
        }
        return algorithm
    }

    private static func write(
        _ path: String, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) -> TeamPublicKey {
        let algorithm = try algorithm(arguments) ?? .ed25519
        let passphrase = try Passphrase.new(session, arguments)
        let (key, text): (TeamPrivateKey, SecretBytes)
        do throws(Refusal) {
            key = try TeamPrivateKey.generate(algorithm)
            text = try TeamKeyFile.text(key, passphrase: passphrase)
        } catch { throw CommandFailure(path, error) }
        do throws(SystemError) {
            // A key that is there is never overwritten: nothing else can sign for its team.
            let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try text.withSpan { (bytes) throws(SystemError) in try file.writeFully(bytes) }
            guard fsync(file.number) == 0 else { throw SystemError(code: errno, call: "fsync") }
        } catch { throw CommandFailure(path, error) }
        return key.publicKey
    }
}

/// `codesign --team-id`.
enum ShowTeamID {
    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let key = try TeamKeyReference(arguments, "T").load(session, arguments)
        show(key.chain.team, session)
    }

    /// Shows the team that a new key begins.
    static func show(_ key: TeamPublicKey, _ session: Session) throws(CommandFailure) {
        do throws(Refusal) { show(try TeamID(of: key), session) } catch { throw CommandFailure("key", error) }
    }

    private static func show(_ team: TeamID, _ session: Session) {
        if session.writesJSON { return session.output.write(.object([("team", .string(team.text))])) }
        session.output.write("\(team.text)\n")
    }
}

/// `codesign --rotate`, `codesign --hand-over`.
enum MakeStatement {
    /// Writes all rotations that lead from the team's first key to the new one, the oldest first.
    static func rotate(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let old = try TeamKeyReference(arguments, "s").load(session, arguments)
        let (new, _) = try TeamKeyReference(arguments, "r").open(session, arguments)
        let chain: TeamChain
        do throws(Refusal) {
            chain = try old.chain.rotated(from: old.signer, to: new.publicKey, issued: now)
        } catch { throw CommandFailure("rotation", error) }
        try write(chain.statements, arguments, session)
    }

    static func handOver(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        guard let from = arguments.value("H")?.text, let to = arguments.value("t")?.text else {
            throw .usage("--hand-over needs --to")
        }
        let key = try TeamKeyReference(arguments, "s").load(session, arguments)
        let statement: TeamStatement
        do throws(Refusal) {
            let content = TeamStatement.Content.handover(from: from, to: to)
            statement = try TeamStatement.make(content, by: key.signer, chain: key.chain, issued: now)
        } catch { throw CommandFailure("handover", error) }
        try write([statement], arguments, session)
    }

    private static func write(
        _ statements: [TeamStatement], _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        let text = Array(statements.map(\.pem).joined().utf8)
        try OutputFile.write(text.span, to: arguments.value("o")?.text ?? "-", session)
    }

    private static var now: UInt64 { UInt64(max(0, time(nil))) }
}
