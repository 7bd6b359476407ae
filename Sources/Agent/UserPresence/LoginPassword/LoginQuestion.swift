import EnclaveWire
import KeychainWire
import LinuxSystem
import LoginPassword

/// Has PAM verify the password of the user's login, which is asked for as every secret is.
struct LoginQuestion: Sendable {
    let service: String
    let deadline: Deadline
    /// Asks for a secret. PAM's own text is not shown, because the prompt here says more.
    let ask: @Sendable () -> UserAnswer

    /// Modules may take as long as they like, so they have a thread of their own, which is not waited for longer than
    /// the question lasts: its verdict then counts for nothing.
    func verify(until withdrawal: Withdrawal) -> UserAnswer {
        guard let user = LoginPassword.user else { return .unreachable }
        let outcome = Monitor<UserAnswer?>(nil)
        let thread = try? Thread(named: "agent-login") { [service, ask] in
            let given = Monitor(UserAnswer.unreachable)
            let verdict = LoginPassword.verify(user: user, service: service) { _ in
                let answer = ask()
                given.update { $0 = answer }
                if case .secret(let secret) = answer { return secret }
                return nil
            }
            let answer: UserAnswer =
                switch verdict {
                case .matched: .matched
                case .noMatch: .noMatch
                case .unavailable: .unreachable
                case .abandoned: given.update { $0 }.withoutSecret
                }
            outcome.update { $0 = answer }
        }
        guard thread != nil else { return .unreachable }
        let answer = outcome.wait(deadline: deadline) { outcome -> UserAnswer? in
            outcome ?? (withdrawal.hasHappened ? .withdrawn : nil)
        }
        return answer ?? .timedOut
    }
}

extension UserAnswer {
    /// The same, but a secret that no program could use is no answer.
    fileprivate var withoutSecret: UserAnswer {
        if case .secret = self { return .noMatch }
        return self
    }
}
