import CodeSignature
import CommandOptions
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// A team's key, ready to sign, and what leads to it.
struct TeamKey {
    let signer: any TeamSigner
    let chain: TeamChain
}

/// The name of a team's key on the command line: the path of a file, or `enclave:LABEL`.
enum TeamKeyReference {
    case file(String)
    case enclave(String)

    private static let enclavePrefix = "enclave:"

    init(_ text: String) throws(CommandFailure) {
        guard text.hasPrefix(Self.enclavePrefix) else {
            self = .file(text)
            return
        }
        self = .enclave(String(text.dropFirst(Self.enclavePrefix.count)))
        if text == Self.enclavePrefix { throw .usage("a key in the enclave is named enclave:LABEL") }
    }

    /// The value of an option that must be there.
    init(_ arguments: ParsedArguments, _ letter: Character) throws(CommandFailure) {
        guard let text = arguments.value(letter)?.text else { throw .usage("option -\(letter) is missing") }
        try self.init(text)
    }

    /// Gets the key, with the rotations of its file and of `-S`.
    func load(_ session: Session, _ arguments: ParsedArguments) throws(CommandFailure) -> TeamKey {
        var (signer, statements) = try open(session, arguments)
        for path in arguments.all("S") { statements += try Self.statements(path) }
        do throws(Refusal) {
            return TeamKey(signer: signer, chain: try TeamChain(statements, to: signer.publicKey))
        } catch {
            throw CommandFailure("\(self)", error)
        }
    }

    /// Gets the key alone, whatever leads to it.
    func open(
        _ session: Session, _ arguments: ParsedArguments
    ) throws(CommandFailure) -> (any TeamSigner, [TeamStatement]) {
        switch self {
        case .enclave(let label): return (try EnclaveTeamKey.find(label, session), [])
        case .file(let path):
            warnOfReaders(path, session)
            let text: SecretBytes
            do throws(SystemError) { text = try AtomicFile.readSecret(path, limit: TeamKeyFile.mostBytes) } catch {
                throw CommandFailure(path, error)
            }
            do throws(TeamKeyFailure<CommandFailure>) {
                let file = try TeamKeyFile(text) { () throws(CommandFailure) in
                    try Passphrase.get(session, arguments, "passphrase of \(path): ")
                }
                return (file.key, file.statements)
            } catch {
                switch error {
                case .refused(let refusal): throw CommandFailure(path, refusal)
                case .notAsked(let failure): throw failure
                }
            }
        }
    }

    private static func statements(_ path: String) throws(CommandFailure) -> [TeamStatement] {
        let text: [UInt8]
        do throws(SystemError) { text = try AtomicFile.read(path, limit: TeamKeyFile.mostBytes) } catch {
            throw CommandFailure(path, error)
        }
        do throws(Refusal) { return try TeamStatement.statements(in: text) } catch { throw CommandFailure(path, error) }
    }

    private func warnOfReaders(_ path: String, _ session: Session) {
        guard let status = try? FileStatus(at: path), status.mode & 0o077 != 0 else { return }
        session.complain("\(path): others may read this key; chmod 600 it")
    }
}

extension TeamKeyReference: CustomStringConvertible {
    var description: String {
        switch self {
        case .file(let path): path
        case .enclave(let label): Self.enclavePrefix + label
        }
    }
}

/// Passphrases of team keys: from a descriptor, or from the caller of the command.
enum Passphrase {
    static func get(
        _ session: Session, _ arguments: ParsedArguments, _ prompt: String
    ) throws(CommandFailure) -> SecretBytes {
        guard let option = arguments.value("p")?.text else { return try PasswordInput(session).passcode(prompt) }
        guard let number = CInt(option), number >= 0 else { throw .usage("-p takes the number of a descriptor") }
        do throws(SystemError) {
            let copy = try FileDescriptor.duplicate(number)
            guard let line = try Input(copy).readLine() else { throw SystemError(code: ENODATA, call: "read") }
            return line
        } catch { throw CommandFailure("descriptor \(number)", error) }
    }

    /// A new one, asked for twice where a person types it.
    static func new(_ session: Session, _ arguments: ParsedArguments) throws(CommandFailure) -> SecretBytes? {
        guard arguments.has("P") || arguments.has("p") else { return nil }
        let first = try get(session, arguments, "passphrase for the new key: ")
        if arguments.has("p") { return first }
        guard first.isEqual(to: try get(session, arguments, "retype the passphrase: ")) else {
            throw .failed("the passphrases do not match")
        }
        return first
    }
}
