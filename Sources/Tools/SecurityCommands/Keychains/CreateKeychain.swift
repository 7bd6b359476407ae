import CommandOptions
import KeychainClient
import KeychainModel
import LinuxSystem

/// `create-keychain`: makes keychains with names.
enum CreateKeychain {
    private static let attempts = 3

    static let command = Command(
        "create-keychain", "Create keychains and add them to the search list.",
        synopsis: "[-P] [-p password] [keychains...]",
        options: [
            CommandOption("P", "Ask for the password, also when -p gives one."),
            CommandOption("p", value: "password", isSecret: true, "The password of the new keychains; may be empty."),
        ],
        notes: [
            """
            The file that is made at the path names the keychain and holds no secret; the items are in a store of \
            their own, next to the login's. A bare name stands for a file in the keychain's folder, or in \
            ~/Library/Keychains; there names end in -db. Without a name, one is asked for. Without -p the password is \
            asked for, twice at a terminal; if standard input is no terminal, it is its next line.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        let names = try arguments.operands.isEmpty ? [name(session)] : arguments.operands
        let password = try password(arguments, session)
        for name in names { try create(name.text, password, session) }
    }

    private static func create(
        _ name: String, _ password: SecretBytes, _ session: Session
    ) throws(CommandFailure) {
        let call = "SecKeychainCreate \(name)"
        guard let named = session.named else { throw .refused(call: call, .noNamedKeychains) }
        let file = password.count == 0 ? nil : try Passcodes(session).file(password, call)
        do throws(Refusal) { try named.create(name, password: file) } catch {
            throw .refused(call: call, error)
        }
    }

    private static func name(_ session: Session) throws(CommandFailure) -> Argument {
        if session.input.isTerminal {
            session.diagnostics.write("keychain to create: ")
            session.flush()
        }
        let line: SecretBytes?
        do throws(SystemError) { line = try session.input.readLine() } catch {
            throw CommandFailure("standard input", error)
        }
        guard let line, line.count > 0 else { throw .usage(nil) }
        return Argument(line)
    }

    private static func password(
        _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) -> SecretBytes {
        let passcodes = Passcodes(session)
        if let given = arguments.value("p"), !arguments.has("P") {
            return try passcodes.get(given, prompt: "")
        }
        for _ in 0..<attempts {
            let password = try passcodes.get(nil, prompt: "password for new keychain: ")
            guard session.input.isTerminal else { return password }
            if try passcodes.get(nil, prompt: "retype password for new keychain: ").isEqual(to: password) {
                return password
            }
            session.diagnostics.write("passwords don't match\n")
        }
        throw .failed("no password was given", remedy: "Type the same password twice.")
    }
}

extension Refusal {
    static let noNamedKeychains = Refusal(
        .notAvailable, .unavailable, "keychains", "There are no keychains with names here.",
        do: "Use login.keychain.")
}
