import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport

/// A user who answers as the test says, in place of the agent's process.
final class TestUser: UserAgent {
    enum Answer: Sendable {
        case touch, miss, login(Bool)
        case passcode(String)
        case fallback, cancel, timeOut, unreachable
        /// Closes what is shown.
        case close
        /// The agent's process has gone.
        case gone
        /// Nothing, until the question is withdrawn or its deadline passes.
        case wait
    }

    fileprivate struct State {
        var answers: [Answer] = []
        var questions: [UserQuestion] = []
        var fingers: [UInt8]? = []
        var open: AuthenticationContext?
        var report: AgentReport?
    }

    private let state: Monitor<State>

    /// - Parameter fingers: those that are enrolled; nil for no sensor.
    init(fingers: [UInt8]? = nil) { state = Monitor(State(fingers: fingers)) }

    /// The answers to the next questions. Without an answer, a question cannot be asked (`unreachable`).
    func will(_ answers: Answer...) { state.update { $0.answers += answers } }

    /// No answer is left from a question that was not put.
    func forgetAnswers() { state.update { $0.answers = [] } }

    func enrol(_ fingers: [UInt8]?) { state.update { $0.fingers = fingers } }

    /// The report of the agent; nil for an agent that is not there.
    func find(_ report: AgentReport?) { state.update { $0.report = report } }
    func found() -> AgentReport? { state.update { $0.report } }

    var questions: [UserQuestion] { state.update { $0.questions } }
    var kinds: [UserQuestion.Kind] { questions.map(\.kind) }

    /// Waits until so many questions have been put.
    func wait(for count: Int) { state.wait(deadline: soon) { $0.questions.count >= count ? () : nil } }

    // MARK: - The agent

    func biometry() throws(Refusal) -> BiometryStatus { state.update { $0.status } }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        let answer: Answer = state.update { state in
            let answer = state.answers.isEmpty ? .unreachable : state.answers.removeFirst()
            // An observer of the question may withdraw it at once.
            if case .wait = answer { state.open = question.context }
            state.questions.append(question)
            return answer
        }
        switch answer {
        case .touch: return .matched
        case .miss: return .noMatch
        case .login(let isRight): return isRight ? .matched : .noMatch
        case .passcode(let text): return .secret(SecretBytes(copying: Array(text.utf8).span))
        case .fallback: return .fallback
        case .close: return .seen
        case .cancel: return .cancelled
        case .timeOut: return .timedOut
        case .unreachable: return .unreachable
        case .gone: throw Refusal(.notAvailable, .unavailable, "agent", "The agent has gone.", do: "Start it.")
        case .wait: return state.wait(deadline: deadline) { $0.open == nil ? .withdrawn : nil } ?? .timedOut
        }
    }

    /// Ends an open question as a finger does that comes at last.
    func withdraw(_ context: AuthenticationContext) {
        state.update { if $0.open == context { $0.open = nil } }
    }
}

extension TestUser.State {
    fileprivate var status: BiometryStatus {
        guard let fingers else { return .none }
        guard !fingers.isEmpty else { return BiometryStatus(state: .notEnrolled, enrolment: []) }
        return BiometryStatus(state: .ready, enrolment: (0..<32).map { fingers[$0 % fingers.count] &+ UInt8($0) })
    }
}

// MARK: - What is guarded

extension AuthenticationContext {
    /// A context of its own of the same caller, or of another one.
    static func test(caller: UInt8 = 1) -> AuthenticationContext {
        AuthenticationContext(
            identifier: Randomness.bytes(identifierBytes), caller: [UInt8](repeating: caller, count: callerBytes))
    }
}

/// The bits of `SecAccessControlCreateFlags`.
enum Flag {
    static let userPresence: UInt64 = 1 << 0
    static let biometryAny: UInt64 = 1 << 1
    static let biometryCurrentSet: UInt64 = 1 << 3
    static let devicePasscode: UInt64 = 1 << 4
    static let companion: UInt64 = 1 << 5
    static let or: UInt64 = 1 << 14
    static let and: UInt64 = 1 << 15
    static let privateKeyUsage: UInt64 = 1 << 30
    static let applicationPassword: UInt64 = 1 << 31
}

/// A row that its user guards, as the store knows it.
struct GuardedRow {
    let identity = Randomness.bytes(RowKeyRecord.rowBytes)
    let key = SecretBytes(copying: Randomness.bytes(RowKeyRecord.keyBytes).span)
    let accessibility: Accessibility
    let flags: UInt64
    var wrapped: [UInt8] = []

    /// One that is yet to be wrapped.
    init(flags: UInt64) { (self.flags, accessibility) = (flags, .whenUnlocked) }

    init(
        _ flags: UInt64, in enclave: any EnclaveService, _ context: AuthenticationContext? = nil,
        _ accessibility: Accessibility = .whenUnlocked
    ) throws(Refusal) {
        (self.flags, self.accessibility) = (flags, accessibility)
        wrapped = try enclave.wrapGuardedRowKey(key, row: identity, for: accessibility, flags: flags, in: context)
    }

    /// The refusal of its opening; nil when it opens.
    func refusal(_ enclave: any EnclaveService, _ context: AuthenticationContext?) -> Refusal? {
        do throws(Refusal) {
            let opened = try enclave.unwrapGuardedRowKey(wrapped, row: identity, for: accessibility, in: context)
            return opened.isEqual(to: key)
                ? nil : Refusal(.internalError, .internalError, "key", "Another key came out.", do: "Look why.")
        } catch { return error }
    }

    /// The engine's task for it.
    func task(_ context: AuthenticationContext, for operation: GuardedOperation = .useItem) -> AuthenticationTask {
        .items([self], context, for: operation)
    }
}

extension AuthenticationTask {
    static func items(
        _ rows: [GuardedRow], _ context: AuthenticationContext, for operation: GuardedOperation = .useItem
    ) -> AuthenticationTask {
        let guards = rows.map { ItemGuard(identifier: $0.identity, flags: $0.flags) }
        return AuthenticationTask(context: context, purpose: .items(guards: guards, operation), prompt: Prompt())
    }

    static func policy(
        _ number: UInt8, _ context: AuthenticationContext, _ prompt: Prompt = Prompt()
    ) -> AuthenticationTask {
        AuthenticationTask(context: context, purpose: .context(.policy(number)), prompt: prompt)
    }

    static func control(
        _ flags: UInt64, _ context: AuthenticationContext, _ prompt: Prompt = Prompt(),
        for operation: GuardedOperation = .useItem
    ) -> AuthenticationTask {
        AuthenticationTask(context: context, purpose: .context(.control(flags: flags, operation)), prompt: prompt)
    }
}

extension SoftwareEnclave {
    /// The refusal of the prompt; nil when the user has shown the required factors.
    func refusal(_ task: AuthenticationTask, by deadline: Deadline = soon) -> Refusal? {
        do throws(Refusal) {
            _ = try authenticate(task, by: deadline)
            return nil
        } catch { return error }
    }
}
