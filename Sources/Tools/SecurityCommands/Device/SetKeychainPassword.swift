import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `set-keychain-password`: sets, changes and removes the passcode.
enum SetKeychainPassword {
    private static let call = "SecKeychainChangePassword"

    static let command = Command(
        "set-keychain-password", "Set the password of the keychain.",
        synopsis: "[-o oldPassword | -R] [-p newPassword] [-f] [keychain]",
        options: [
            CommandOption("o", value: "password", isSecret: true, "The old password."),
            CommandOption("p", value: "password", isSecret: true, "The new password; empty to have none."),
            CommandOption("f", word: "force", "Remove the password although protected files are lost with it."),
            CommandOption("R", word: "recovery", "The old password is forgotten: ask for a recovery code instead."),
        ],
        notes: [
            """
            What is not given is asked for at the terminal; if standard input is no terminal, it is read from there, a \
            line each, the old password first. A keychain that has no password yet asks for no old one. -p "" removes \
            the password. That destroys all items that may only exist where there is one (akpu), and all other ways to \
            unlock. Where protected files would be lost as well, a person is asked, and a script is refused without -f.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in try change(arguments, session) }

    private static func change(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        try session.turn(to: arguments.operands.first, call)
        let passcodes = Passcodes(session)
        let isSet = try session.status(call).passcodeIsSet
        if isSet, arguments.has("R") { return try replace(arguments, session) }
        let old = isSet ? try passcodes.get(arguments.value("o"), prompt: "Old Password: ") : nil
        let new = try newPassword(arguments, session)
        if !isSet { try checkThatNoOldOneIsGiven(session, new) }
        if new.count > 0 { return try passcodes.send(.setPasscode, old.map { [$0, new] } ?? [new], call) }
        if let old { try passcodes.remove(old, losesFiles: arguments.has("f"), call) }
    }

    /// A script that writes an old and a new password believes that there is one. The old one would become the
    /// keychain's.
    private static func checkThatNoOldOneIsGiven(_ session: Session, _ new: SecretBytes) throws(CommandFailure) {
        guard !session.input.isTerminal, !session.isInteractive, session.input.hasLine else { return }
        guard try !PasswordInput(session).passcode("").isEqual(to: new) else { return }
        throw .failed(
            "the keychain has no password yet", cause: "Standard input has an old password and a new one.",
            remedy: "Write the new password alone.")
    }

    private static func replace(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let passcodes = Passcodes(session)
        let code = try passcodes.get(nil, prompt: "Recovery Code: ")
        let new = try newPassword(arguments, session)
        guard new.count > 0 else {
            throw .failed("the new password is empty", remedy: "Removing the password takes the password itself.")
        }
        try passcodes.send(.replacePasscode(by: .recoveryCode), [code, new], call)
    }

    private static func newPassword(
        _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) -> SecretBytes {
        let passcodes = Passcodes(session)
        let new = try passcodes.get(arguments.value("p"), prompt: "New Password: ")
        guard arguments.value("p") == nil else { return new }
        if session.input.isTerminal, try !PasswordInput(session).passcode("Retype New Password: ").isEqual(to: new) {
            throw .failed(
                "try again", cause: "The two new passwords were not the same.",
                remedy: "Start the command again, and type the same password twice.")
        }
        // Removing destroys items, so it takes more than a stray return key or an empty line.
        guard new.count > 0 else {
            throw .failed(
                "the new password is empty", cause: "An empty line removes no password.",
                remedy: "Use -p \"\" to have no password.")
        }
        return new
    }
}
