package import EnclaveWire
import KeychainModel
package import KeychainWire
package import LinuxSystem
import LoginPassword
import Systemd

/// Asks the user through a fingerprint reader, a pinentry, a terminal, or PAM, as the question and the user's place
/// require.
package struct UserPresence: AgentService {
    private let programs: PinentryPrograms
    private let loginService: String?
    private let sessionName: @Sendable () -> String

    /// - Parameters:
    ///   - programs: the pinentries to use.
    ///   - loginService: the PAM service that verifies logins; nil for the usual one.
    ///   - sessionName: the session that is watched, for the report.
    package init(
        programs: PinentryPrograms, loginService: String? = nil, sessionName: @escaping @Sendable () -> String = { "" }
    ) {
        self.programs = programs
        self.loginService = loginService ?? LoginPassword.usualService
        self.sessionName = sessionName
    }

    package func report() -> AgentReport {
        var report = AgentReport()
        report.hasSystemBus = (try? SystemBus()) != nil
        report.sensor = (try? FingerprintReader().name()) ?? ""
        report.graphicalPinentry = programs.graphical ?? ""
        report.terminalPinentry = programs.terminal ?? ""
        report.loginService = loginService ?? ""
        report.session = sessionName()
        return report
    }

    package func biometry() -> BiometryStatus {
        guard let user = LoginPassword.user else { return .none }
        return (try? FingerprintReader().status(user: user)) ?? .none
    }

    package func ask(
        _ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal
    ) -> UserAnswer {
        let methods = PromptMethod.methods(for: question.prompt, with: programs)
        if methods.isEmpty { return .unreachable }
        switch question.kind {
        case .finger:
            let finger = FingerQuestion(
                wording: Wording(question), surroundings: question.prompt.surroundings, deadline: deadline,
                withdrawal: withdrawal)
            return finger.ask(methods)
        case .loginPassword:
            guard let loginService else { return .unreachable }
            let login = LoginQuestion(service: loginService, deadline: deadline) {
                secret(question, methods, deadline, withdrawal)
            }
            return login.verify(until: withdrawal)
        case .passcode, .unlocking, .applicationPassword, .newApplicationPassword, .shownDigits, .digits,
            .shownCode, .code:
            return secret(question, methods, deadline, withdrawal)
        }
    }

    /// Tries the prompt methods one after the other until one of them works.
    private func secret(
        _ question: UserQuestion, _ methods: [PromptMethod], _ deadline: Deadline, _ withdrawal: Withdrawal
    ) -> UserAnswer {
        let wording = Wording(question)
        for method in methods {
            let answer = secret(question, method, wording, deadline, withdrawal.descriptor)
            if case .unreachable = answer { continue }
            return answer
        }
        return .unreachable
    }

    private func secret(
        _ question: UserQuestion, _ method: PromptMethod, _ wording: Wording, _ deadline: Deadline,
        _ end: FileDescriptor
    ) -> UserAnswer {
        let (twice, surroundings) = (question.kind == .newApplicationPassword, question.prompt.surroundings)
        let isShown = question.kind.isShown
        switch method {
        case .window(let program):
            let prompt = PinentryPrompt(program: program, isGraphical: true, surroundings: surroundings)
            if isShown { return prompt.show(wording, deadline: deadline, withdrawal: end) }
            return prompt.secret(wording, twice: twice, deadline: deadline, withdrawal: end)
        case .terminalPinentry(let program):
            // A pinentry opens any terminal that it is given. Here it is checked that this user owns the terminal.
            guard let terminal = try? Terminal(path: surroundings.terminal) else { return .unreachable }
            let prompt = PinentryPrompt(program: program, isGraphical: false, surroundings: surroundings)
            return terminal.keepingEcho {
                isShown
                    ? prompt.show(wording, deadline: deadline, withdrawal: end)
                    : prompt.secret(wording, twice: twice, deadline: deadline, withdrawal: end)
            }
        case .terminal:
            guard let prompt = try? TerminalPrompt(surroundings) else { return .unreachable }
            if isShown { return prompt.show(wording, deadline: deadline, withdrawal: end) }
            return prompt.secret(wording, twice: twice, deadline: deadline, withdrawal: end)
        }
    }
}
