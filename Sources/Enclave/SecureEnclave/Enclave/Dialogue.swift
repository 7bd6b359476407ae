import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Runs a sequence of prompts: sends its questions to the agent and checks the answers.
struct Dialogue {
    private let enclave: SoftwareEnclave
    private let task: AuthenticationTask
    private let number: UInt64
    private let deadline: Deadline
    private let change: UserQuestion.Change?
    private var enrolment: [UInt8] = []

    /// - Parameters:
    ///   - number: the place at the ``PromptQueue`` that has the user.
    ///   - change: the change of the circle that the user is to allow.
    init(
        _ enclave: SoftwareEnclave, _ task: AuthenticationTask, _ number: UInt64, _ deadline: Deadline,
        allowing change: UserQuestion.Change? = nil
    ) {
        (self.enclave, self.task, self.number, self.deadline) = (enclave, task, number, deadline)
        self.change = change
    }

    /// Asks until the required factors are shown.
    ///
    /// - Returns: the factors that the user has shown now.
    mutating func ask(
        _ wanted: RequiredAuthentication, _ means: AvailableFactors, shown: AuthenticationFactors
    ) throws(Refusal) -> Grants.Shown {
        var sequence = PromptSequence(wanted, means, shown: shown, hidesFallback: task.prompt.fallbackTitle == "")
        while true {
            switch sequence.next {
            case .done:
                return Grants.Shown(factors: sequence.shown.subtracting(shown), enrolment: enrolment)
            case .refused(let refusal): throw refusal
            case .finger(let allowsFallback, let failures):
                enrolment = []
                var question = question(.finger, failures)
                question.allowsFallback = allowsFallback
                try askFinger(question, means, &sequence)
            case .passcode(let failures): try askPasscode(failures, &sequence)
            }
        }
    }

    /// Asks for the application password, where one is wanted that the context has not.
    ///
    /// - Throws: `errSecInteractionNotAllowed` (`state.needs-password`) where a prompt is impossible or forbidden.
    func askPassword(_ wanted: RequiredAuthentication) throws(Refusal) -> SecretBytes? {
        guard wanted.needsPassword, !enclave.hasPassword(in: task.context) else { return nil }
        for failures in 0..<PromptSequence.mostMisses {
            let question = question(wanted.makesPassword ? .newApplicationPassword : .applicationPassword, failures)
            // An empty one would be none.
            if case .secret(let password) = try putForPassword(question), password.count > 0 { return password }
        }
        throw .userFailed
    }

    private func putForPassword(_ question: UserQuestion) throws(Refusal) -> UserAnswer {
        do throws(Refusal) { return try put(question) } catch {
            throw error.rule == .unreachable ? .missingPassword : error
        }
    }

    // MARK: - Digits and codes

    /// Shows digits or a code until the user has closed them.
    func show(_ text: String, as kind: UserQuestion.Kind) throws(Refusal) {
        var question = question(kind, 0)
        question.digits = text
        _ = try put(question)
    }

    /// Asks for digits or a code.
    ///
    /// - Parameter read: gives nil for something else, after which the question is repeated.
    /// - Returns: nil when the user enters something else every time.
    func ask<Entered>(
        _ kind: UserQuestion.Kind, reading read: (SecretBytes) -> Entered?
    ) throws(Refusal) -> Entered? {
        for misses in 0..<PromptSequence.mostMisses {
            if case .secret(let entered) = try put(question(kind, misses)), let found = read(entered) { return found }
        }
        return nil
    }

    // MARK: - One question

    private func question(_ kind: UserQuestion.Kind, _ failures: UInt32) -> UserQuestion {
        var question = UserQuestion(kind, task.context, task.prompt)
        (question.failures, question.change) = (failures, change)
        return question
    }

    private mutating func askFinger(
        _ question: UserQuestion, _ means: AvailableFactors, _ sequence: inout PromptSequence
    ) throws(Refusal) {
        switch try put(question) {
        case .matched:
            enclave.user.forgetMisses()
            enrolment = means.biometry.enrolment
            sequence.show(.biometry)
        case .fallback: sequence.fallBack()
        default: sequence.missFinger(isLockedOut: enclave.user.missFinger())
        }
    }

    private func askPasscode(_ failures: UInt32, _ sequence: inout PromptSequence) throws(Refusal) {
        let status = try enclave.status()
        let kind: UserQuestion.Kind = task.purpose == .context(.unlock) ? .unlocking : .passcode
        var question = question(status.passcodeIsSet ? kind : .loginPassword, failures)
        question.wait = status.passcodeIsSet ? status.retryAfter : 0
        // After a wrong answer the prompt may wait, if there is time. No prompt opens only to wait.
        guard question.wait == 0 || failures > 0 && question.wait < deadline.secondsLeft else {
            throw .throttled(wait: question.wait)
        }
        let answer = try put(question)
        if try isRight(answer, question.kind) {
            enclave.user.forgetMisses()
            sequence.show(.passcode)
        } else {
            sequence.missPasscode()
        }
    }

    /// The agent's word counts for the login's password, and for nothing else that is known.
    private func isRight(_ answer: UserAnswer, _ kind: UserQuestion.Kind) throws(Refusal) -> Bool {
        switch answer {
        case .matched: return kind == .loginPassword && enclave.user.acceptsLoginPassword
        case .secret(let passcode) where passcode.count > 0:
            do throws(Refusal) { try use(passcode, for: kind) } catch {
                guard error.rule == .wrongPasscode else { throw error }
                return false
            }
            return true
        default: return false
        }
    }

    private func use(_ passcode: SecretBytes, for kind: UserQuestion.Kind) throws(Refusal) {
        if kind == .unlocking { return try enclave.unlock(with: Credential(.passcode, passcode)) }
        try enclave.check(passcode: passcode)
    }

    /// Asks a question. An outcome that is no answer ends the sequence.
    private func put(_ question: UserQuestion) throws(Refusal) -> UserAnswer {
        guard let agent = enclave.user.agent else { throw .nobodyToAsk }
        guard task.prompt.interaction != .never else { throw .mayNotAsk }
        guard !enclave.user.queue.isWithdrawn(number) else { throw .withdrawn }
        guard !deadline.hasPassed else { throw .unansweredInTime }
        let answer: UserAnswer
        do { answer = try agent.ask(question, by: deadline) } catch { throw .nobodyToAsk }
        if enclave.user.queue.isWithdrawn(number) { throw .withdrawn }
        switch answer {
        case .cancelled: throw .userCanceled
        case .withdrawn: throw .withdrawn
        case .unreachable: throw .nobodyToAsk
        case .timedOut: throw .unansweredInTime
        case .matched, .noMatch, .secret, .fallback, .seen: return answer
        }
    }
}

extension Deadline {
    fileprivate var secondsLeft: UInt64 { (remainingNanoseconds ?? .max) / 1_000_000_000 }
}
