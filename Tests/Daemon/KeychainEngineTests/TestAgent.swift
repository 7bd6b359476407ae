import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport

/// A user with one finger on the sensor: who lays it down at once, leaves every question open until it
/// is withdrawn, or cannot be reached.
final class TestAgent: UserAgent {
    enum Mood: Sendable {
        case willing
        case waiting
        case absent
    }

    private struct State {
        var mood = Mood.willing
        var questions: [UserQuestion] = []
        var withdrawn: [AuthenticationContext] = []
    }

    private let state = Monitor(State())

    func become(_ mood: Mood) { state.update { $0.mood = mood } }

    var questions: [UserQuestion] { state.update { $0.questions } }

    /// Waits until the user was asked something.
    func isAsked() -> Bool {
        state.wait(deadline: soon) { $0.questions.isEmpty ? nil : true } ?? false
    }

    func biometry() throws(Refusal) -> BiometryStatus {
        BiometryStatus(state: .ready, enrolment: [UInt8](repeating: 5, count: BiometryStatus.enrolmentBytes))
    }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        let mood = state.update { state in
            state.questions.append(question)
            return state.mood
        }
        if mood == .absent { return .unreachable }
        guard mood == .waiting else { return question.kind == .finger ? .matched : .unreachable }
        let isOver = state.wait(deadline: deadline) { $0.withdrawn.contains(question.context) ? true : nil } ?? false
        return isOver ? .withdrawn : .timedOut
    }

    func withdraw(_ context: AuthenticationContext) { state.update { $0.withdrawn.append(context) } }
}
