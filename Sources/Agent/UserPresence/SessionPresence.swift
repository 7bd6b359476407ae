package import EnclaveWire
import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Asks in a window on the display of the session that this process belongs to, for what a person types, and for
/// nothing else.
///
/// The display is the session's. The asking program's own words on displays, terminals and languages count for nothing.
package struct SessionPresence: AgentService {
    private let programs: PinentryPrograms
    private let surroundings: PromptEnvironment
    private let isLocked: @Sendable () -> Bool

    /// - Parameters:
    ///   - programs: the pinentries to use; those for terminals are not.
    ///   - environment: the variables of the session.
    ///   - isLocked: whether the session says that it is locked.
    package init(
        programs: PinentryPrograms, environment: [String: String], isLocked: @escaping @Sendable () -> Bool
    ) {
        self.programs = PinentryPrograms(graphical: programs.graphical)
        surroundings = PromptEnvironment(environment: environment)
        self.isLocked = isLocked
    }

    /// Whether there is a display, and a program to show a window there.
    package var hasDisplay: Bool { !PromptMethod.methods(for: prompt(Prompt()), with: programs).isEmpty }

    /// Without a display there is no pinentry either.
    package func report() -> AgentReport {
        var report = AgentReport()
        report.graphicalPinentry = hasDisplay ? programs.graphical ?? "" : ""
        return report
    }

    package func biometry() -> BiometryStatus { .none }

    package func ask(
        _ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal
    ) -> UserAnswer {
        guard question.kind.isTyped, question.change == nil, !isLocked() else { return .unreachable }
        var shown = question
        shown.prompt = prompt(question.prompt)
        return UserPresence(programs: programs).ask(shown, by: deadline, until: withdrawal)
    }

    private func prompt(_ asked: Prompt) -> Prompt {
        var prompt = asked
        prompt.surroundings = surroundings
        return prompt
    }
}

extension UserQuestion.Kind {
    /// Whether a session agent asks it: what is typed, and verified by the enclave.
    fileprivate var isTyped: Bool {
        switch self {
        case .passcode, .unlocking, .applicationPassword: true
        case .newApplicationPassword, .finger, .loginPassword, .shownDigits, .digits, .shownCode, .code: false
        }
    }
}
