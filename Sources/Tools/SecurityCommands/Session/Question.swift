import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// A question at the terminal that an empty answer does not answer with yes.
struct Question {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Whether somebody can be asked.
    var canBeAsked: Bool { session.terminal != nil }

    /// Asks for a word.
    ///
    /// - Parameter word: what has to be typed; everything else means no.
    /// - Throws: a failure where nobody can be asked.
    func isAnswered(_ text: String, with word: String, orOption option: String) throws(CommandFailure) -> Bool {
        guard let terminal = session.terminal else {
            throw .failed(
                "there is no terminal to ask at", cause: "This must be confirmed.", remedy: "Confirm it with \(option)."
            )
        }
        session.flush()
        let answer: Terminal.Answer
        do throws(SystemError) {
            answer = try terminal.askSecretly(session.text("\(text) Type \(word) to go on: "))
        } catch { throw CommandFailure("the terminal", error) }
        guard case .line(let line) = answer else { return false }
        return Argument(line).matches(word)
    }
}

extension Session {
    /// Whether a person says that protected files may be lost, of which a refusal warns; false where nobody can be
    /// asked.
    package func losesFiles(_ failure: CommandFailure, asking question: String) throws(CommandFailure) -> Bool {
        guard case .refused(_, let refusal) = failure, refusal.rule == .losesFiles, Question(self).canBeAsked else {
            return false
        }
        diagnostics.write(text(refusal.problem) + "\n")
        return try Question(self).isAnswered(question, with: "yes", orOption: "-f")
    }
}
