package import EnclaveWire
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The two agents of a user in the system service. The system agent (`keychain-agent`) has fingers, terminals and the
/// watch over the session. A session agent (`keychain-session-agent`) has the user's display, where one has registered.
///
/// The enclave decides which one is asked. A session agent runs as the user, so that it gets those questions alone that
/// a person answers by typing, and that the enclave checks itself. It never says that a finger matched, and chooses no
/// password. It never shows a code or digits of the enclave's, and never a change of the circle of machines.
/// It hears nothing of the asking program's terminal and environment.
package final class AgentRouter: UserAgent {
    private let system: any UserAgent
    private let session: any UserAgent
    private let open = Lock(Open())

    /// The question that is before the session agent.
    private struct Open {
        var context: AuthenticationContext?
        var isWithdrawn = false
    }

    package init(system: any UserAgent, session: any UserAgent) { (self.system, self.session) = (system, session) }

    package func biometry() throws(Refusal) -> BiometryStatus { try system.biometry() }

    package func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        guard question.prompt.mayBeOnDisplay else { return try system.ask(question, by: deadline) }
        if question.isForDisplay {
            let answer = askOnDisplay(question, by: deadline)
            guard case .unreachable = answer else { return answer }
            if deadline.hasPassed { return .timedOut }
        }
        let answer = try system.ask(question, by: deadline)
        // Nobody can be told to touch the sensor; the passcode may be asked for on the display.
        if question.allowsFallback, case .unreachable = answer, session.found() != nil { return .fallback }
        return answer
    }

    package func withdraw(_ context: AuthenticationContext) {
        open.withLock { open in
            if open.context == context { open.isWithdrawn = true }
        }
        session.withdraw(context)
        system.withdraw(context)
    }

    /// The findings of the system agent, with the display's pinentry where there is a session agent.
    package func found() -> AgentReport? {
        guard var report = system.found() else { return nil }
        report.graphicalPinentry = session.found()?.graphicalPinentry ?? ""
        return report
    }

    /// An agent that has gone, or does not answer, is none. Its question goes elsewhere, unless it was withdrawn.
    private func askOnDisplay(_ question: UserQuestion, by deadline: Deadline) -> UserAnswer {
        open.withLock { $0 = Open(context: question.context) }
        var shown = question
        shown.prompt.surroundings = PromptEnvironment()
        let answer = (try? session.ask(shown, by: deadline)) ?? .unreachable
        let isWithdrawn = open.withLock { open in
            defer { open = Open() }
            return open.isWithdrawn
        }
        return isWithdrawn ? .withdrawn : answer
    }
}

extension Prompt {
    /// A program that names a display, or has no terminal, may be asked for on the display of its user's session.
    fileprivate var mayBeOnDisplay: Bool {
        let names = ["DISPLAY", "WAYLAND_DISPLAY"]
        let hasDisplay = names.contains { surroundings.environment[$0]?.isEmpty == false }
        return interaction == .any && (hasDisplay || surroundings.terminal.isEmpty)
    }
}

extension UserQuestion {
    /// Whether it is one that a session agent may put.
    fileprivate var isForDisplay: Bool {
        switch kind {
        case .passcode, .unlocking, .applicationPassword: change == nil
        // Nothing verifies a new password: an agent in wrong hands would choose it.
        case .newApplicationPassword: false
        case .finger, .loginPassword, .shownDigits, .digits, .shownCode, .code: false
        }
    }
}
