import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `delete-keychain`: deletes keychains with all their items.
enum DeleteKeychain {
    private static let call = "SecKeychainDelete"

    static let command = Command(
        "delete-keychain", "Delete keychains and remove them from the search list.",
        synopsis: "[--login] [--force] [-p password] [keychains...]",
        options: [
            CommandOption("L", word: "login", "Delete the login keychain too; takes its password."),
            CommandOption("F", word: "force", "Delete one that does not open, whatever it holds."),
            CommandOption("p", value: "password", isSecret: true, "The keychain's password, where it is needed."),
        ],
        notes: [
            """
            Nothing brings the items back. A keychain whose name file has gone is deleted by its identifier, as \
            `security list-keychains --orphans` shows it. One that has items of other programs must be unlocked, or \
            its password is asked for; so it is where a file is named that was moved or copied meanwhile.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        guard !arguments.operands.isEmpty else { throw .refused(call: call, .noKeychainGiven) }
        for name in arguments.operands { try delete(name.text, arguments, session) }
    }

    private static func delete(
        _ name: String, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        guard let named = session.named else { throw .refused(call: call, .noNamedKeychains) }
        let keychain: ChosenKeychain
        let orphan: NamedKeychain?
        do throws(Refusal) {
            orphan = try NamedKeychain.Identifier(name) == nil ? nil : named.orphan(name)
            if let orphan { keychain = .named(orphan) } else { keychain = try named.find(name) }
        } catch { throw .refused(call: call, error) }
        switch keychain {
        case .unusable(let keychain): throw .refused(call: call, keychain.refusal)
        case .named(let keychain):
            // The file may be a copy, and the one that is meant on a disk that is away.
            let isUnclear = orphan == nil && named.lostPath(of: keychain) != nil
            try checkOthers(keychain, isUnclear: isUnclear, arguments, session)
            try performing { () throws(Refusal) in try named.delete(keychain) }
        case .login:
            guard arguments.has("L") else { throw .refused(call: call, .loginStays) }
            // The one before it in the command line is another.
            try session.turn(to: .login, call)
            try checkPassword(arguments, session)
            try performing { () throws(Refusal) in try named.deleteLogin() }
        }
    }

    /// The password of the login keychain is verified by its enclave, as any other attempt.
    private static func checkPassword(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        guard try session.status(call).passcodeIsSet else { return }
        let password = try Passcodes(session).get(arguments.value("p"), prompt: "password to delete login: ")
        try Passcodes(session).send(.unlock, [password], call)
    }

    /// The items of other programs go in the presence of their user alone: the keychain was unlocked with its password,
    /// or is now. A keychain that only this command has used goes without a question, as on macOS.
    private static func checkOthers(
        _ keychain: NamedKeychain, isUnclear: Bool, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        guard try opens(keychain, arguments.has("F"), session) else { return }
        let status: DeviceStatus
        do throws(CommandFailure) {
            if case .others(false) = try session.access(.others, call), !isUnclear { return }
            status = try session.status(call)
        } catch {
            // Another program may have deleted it meanwhile, which the deletion says.
            if session.named?.isStored(keychain.identifier) == true { throw error }
            return
        }
        guard status.passcodeIsSet else { throw .refused(call: call, .othersWithoutPassword(keychain.path)) }
        if status.lockState == .unlocked { return }
        let password = try Passcodes(session).get(
            arguments.value("p"), prompt: "password to delete \(keychain.path): ")
        try Passcodes(session).send(.unlock, [password], call)
    }

    /// Whether a keychain opens. Why it does not may pass, such as a disk that is full.
    ///
    /// - Returns: false for one that is to be deleted all the same, or that another program has deleted meanwhile.
    private static func opens(
        _ keychain: NamedKeychain, _ isForced: Bool, _ session: Session
    ) throws(CommandFailure) -> Bool {
        // A deletion by another program takes a moment.
        let deadline = Deadline.after(milliseconds: 1000)
        while true {
            do throws(CommandFailure) {
                try session.turn(to: .named(keychain), call)
                return true
            } catch {
                if isForced || session.named?.isStored(keychain.identifier) != true { return false }
                guard !deadline.hasPassed else {
                    throw .refused(call: call, .unopenedKeychain(keychain.path, error.explanation.cause))
                }
                usleep(pause)
            }
        }
    }

    private static let pause: UInt32 = 100_000

    private static func performing(_ body: () throws(Refusal) -> Void) throws(CommandFailure) {
        do throws(Refusal) { try body() } catch { throw .refused(call: call, error) }
    }
}

extension Refusal.Rule {
    fileprivate static let othersItems = Self(rawValue: "command.others-items")
}

extension Refusal {
    fileprivate static let noKeychainGiven = Refusal(
        .invalidKeychain, .invalidKeychain, "keychain", "No keychain was named.",
        do: "Name those that are to be deleted.")

    fileprivate static func othersWithoutPassword(_ path: String) -> Refusal {
        Refusal(
            .interactionNotAllowed, .othersItems, path,
            "\(path) holds items of other programs, and has no password by which its user could be known.",
            do: "Give it one (security set-keychain-password), then delete it; or delete the items first.")
    }

    fileprivate static func unopenedKeychain(_ path: String, _ cause: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, path,
            "\(path) does not open, so that nobody knows whose items it holds. \(cause)",
            do: "Mend that, or give --force to delete it with whatever it holds.")
    }

    fileprivate static let loginStays = Refusal(
        .param, Refusal.Rule(rawValue: "command.login-stays"), "login",
        "The login keychain holds what programs have stored, and is not deleted by its name alone.",
        do: "Give --login, and its password, if all of it is to go.")
}
