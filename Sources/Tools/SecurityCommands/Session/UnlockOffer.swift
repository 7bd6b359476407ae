import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// A locked keychain is opened on the way, where somebody sits at the terminal who can type its password.
struct UnlockOffer {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Runs something that reads or writes items; when a keychain is locked, asks for its password once and runs it
    /// again.
    ///
    /// - Throws: what `body` throws; what unlocking throws: a wrong password, or ``CommandFailure/canceled``.
    func run(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        var offered: Set<ChosenKeychain> = []
        while true {
            do throws(CommandFailure) { return try body() } catch {
                guard error.isLocked, let terminal = session.terminal, offered.insert(session.place).inserted else {
                    throw error
                }
                try unlock(at: terminal)
            }
        }
    }

    /// Asks for the password of the keychain at a terminal, and opens it.
    ///
    /// - Throws: a wrong password, or ``CommandFailure/canceled``.
    func unlock(at terminal: Terminal) throws(CommandFailure) {
        session.flush()
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try terminal.askSecretly(
                session.text("password to unlock \(session.shown(nil)): "), until: session.interruption)
        } catch {
            throw CommandFailure("the terminal", error)
        }
        // An empty answer is that of a person who does not want to.
        guard case .line(let passcode) = answer, passcode.count > 0 else { throw .canceled }
        try Passcodes(session).send(.unlock, [passcode], "SecKeychainUnlock <NULL>")
    }
}
