import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `lock-keychain` and `unlock-keychain`.
enum LockKeychain {
    static let lock = Command(
        "lock-keychain", "Lock a keychain.", synopsis: "[-a | keychain]",
        options: [CommandOption("a", "Lock the login keychain and all of the search list.")], operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let call = "SecKeychainLock \(arguments.operands.first?.text ?? "<NULL>")"
        if arguments.has("a") {
            return try session.inAll(call) { () throws(CommandFailure) in
                _ = try session.device(.lock, call)
            }
        }
        try session.turn(to: arguments.operands.first, call)
        _ = try session.device(.lock, call)
        if session.explains, try !session.status(call).passcodeIsSet {
            session.explain("there is no password, so it stays open. Set one with `security set-keychain-password`.")
        }
    }

    static let unlock = Command(
        "unlock-keychain", "Unlock a keychain.", synopsis: "[-u] [-p password | -R | -N] [keychain]",
        options: [
            CommandOption("p", value: "password", isSecret: true, "The keychain's password."),
            CommandOption("u", "Do not use a password: fail if the keychain is locked."), CredentialChoice.recovery,
            CredentialChoice.pin,
        ],
        notes: [
            """
            Without -p the password is asked for at the terminal; if standard input is no terminal, it is its next \
            line. A recovery code may be typed in capitals or small letters, with its dashes or without. A keychain \
            without a password is always unlocked; then none is asked for.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in try runUnlock(arguments, session) }

    private static func runUnlock(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let name = arguments.operands.first?.text
        let call = "SecKeychainUnlock \(name ?? "<NULL>")"
        try session.turn(to: arguments.operands.first, call)
        let status = try session.status(call)
        guard status.passcodeIsSet else { return try checkEmpty(arguments.value("p"), call, session) }
        if arguments.has("u") {
            guard status.lockState == .unlocked else { throw .refused(call: call, .needsPassword) }
            return
        }
        let choice = try CredentialChoice(arguments)
        let passcode = try Passcodes(session).get(
            arguments.value("p"), prompt: "\(choice.name) to unlock \(session.shown(arguments.operands.first)): ")
        try Passcodes(session).send(
            choice.kind == .passcode ? .unlock : .unlockWith(choice.kind), [passcode], call)
        try adopt(session, call)
    }
}

extension LockKeychain {
    /// The password proves whose a keychain is whose name file was moved.
    private static func adopt(_ session: Session, _ call: String) throws(CommandFailure) {
        guard case .named(let keychain) = session.place, let named = session.named else { return }
        do throws(Refusal) { try named.adopt(keychain) } catch { throw .refused(call: call, error) }
    }

    /// A named keychain whose password is empty has that one and no other.
    private static func checkEmpty(_ given: Argument?, _ call: String, _ session: Session) throws(CommandFailure) {
        guard case .named(_) = session.place, let given, given.bytes.count > 0 else { return }
        throw .refused(call: call, .passwordIsEmpty)
    }
}

extension Refusal {
    fileprivate static let needsPassword = Refusal(
        .interactionNotAllowed, Refusal.Rule(rawValue: "command.may-not-ask"), "keychain",
        "The keychain is locked, and -u forbids its password.", do: "Leave -u out.")
}
