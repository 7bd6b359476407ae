internal import EnclaveWire
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// The person before a ``SimulatedDevice``: asked what a real one would be asked, and answering as the test says.
///
///     device.enrol(finger: "right thumb")
///     device.user.will(.touch("left thumb"), .touch("right thumb"))
///
/// A question that nothing was scripted for finds nobody: it is answered with ``Answer/unreachable``.
public final class SimulatedUser: Sendable {
    /// The user's answer to a prompt.
    public enum Answer: Sendable, Hashable {
        /// Lays a finger on the sensor. One that is enrolled matches, another does not.
        case touch(String)
        /// Enters the device's passcode, right or wrong.
        case passcode(String)
        /// Enters the application password of an item.
        case password(String)
        /// Wants to give the passcode instead.
        case fallback
        /// Declines.
        case cancel
        /// Does nothing until the prompt goes away by itself.
        case timeOut
        /// Is not there: the prompt cannot be shown.
        case unreachable
        /// Leaves the prompt open until it is withdrawn, or its deadline comes.
        case wait
    }

    /// A prompt that the user was shown.
    public struct Question: Sendable, Hashable {
        /// The authentication that the prompt asked for.
        public enum Kind: Sendable, Hashable {
            case finger, passcode, applicationPassword, newApplicationPassword, loginPassword
            /// The digits of a pairing are shown; or those that another machine shows are to be entered.
            case shownDigits, digits
        }

        /// The authentication that the prompt asked for.
        public let kind: Kind
        /// The program that asks, as the keychain has verified it.
        public let program: String
        /// The item it is about.
        public let item: String
        /// Why, in the program's words.
        public let reason: String
        /// The title of the alternative to biometry; nil for the usual one, empty for no alternative.
        public let fallbackTitle: String?
        /// The title of cancelling; nil for the usual one.
        public let cancelTitle: String?
        /// How often the user had failed in this prompt.
        public let failures: Int
        /// Whether the user may give the passcode in place of a finger.
        public let allowsFallback: Bool
    }

    private struct State {
        var script: [Answer] = []
        var questions: [Question] = []
        var sensor = SimulatedSensor()
        /// The passcode with which the user agrees to everything, whatever is scripted.
        var consent: String?
        /// The context whose question is open.
        var open: AuthenticationContext?
        var isWithdrawn = false
    }

    private let state = Monitor(State())

    init() {}

    /// Scripts the answers to the next questions, in their order, behind those that are scripted already.
    public func will(_ answers: Answer...) { state.update { $0.script += answers } }

    /// The prompts so far.
    public var questions: [Question] { state.update { $0.questions } }

    /// How many scripted answers were not wanted yet.
    public var unusedAnswers: Int { state.update { $0.script.count } }

    /// Forgets what was asked and what was scripted.
    public func reset() { state.update { ($0.script, $0.questions) = ([], []) } }

    /// Waits until so many questions were asked; false when they were not in time.
    @discardableResult
    public func wasAsked(_ count: Int, within seconds: Double = 30) -> Bool {
        let deadline = Deadline.after(milliseconds: Int(seconds * 1000))
        return state.wait(deadline: deadline) { $0.questions.count >= count ? true : nil } ?? false
    }
}

// MARK: - The sensor

extension SimulatedUser {
    /// Runs something to which the user agrees with the passcode. The prompts of it are none of the test's.
    func agreeing<Result>(with passcode: String, _ body: () throws(Refusal) -> Result) throws(Refusal) -> Result {
        state.update { $0.consent = passcode }
        defer { state.update { $0.consent = nil } }
        return try body()
    }

    func changeSensor(_ change: (inout SimulatedSensor) -> Void) { state.update { change(&$0.sensor) } }

    var sensor: SimulatedSensor { state.update { $0.sensor } }
}

/// The device's fingerprint reader and the fingers it knows.
struct SimulatedSensor {
    var isPresent = true
    /// A value that differs after every change, as a reader's own does after a finger was enrolled.
    private var enrolment = Self.randomEnrolment()
    private(set) var fingers: Set<String> = [] {
        didSet { if fingers != oldValue { enrolment = Self.randomEnrolment() } }
    }

    mutating func enrol(_ finger: String) { fingers.insert(finger) }
    mutating func remove(_ finger: String) { fingers.remove(finger) }

    var status: BiometryStatus {
        if !isPresent { return .none }
        if fingers.isEmpty { return BiometryStatus(state: .notEnrolled, enrolment: []) }
        return BiometryStatus(state: .ready, enrolment: enrolment)
    }

    private static func randomEnrolment() -> [UInt8] { Randomness.bytes(32) }
}

// MARK: - Answering

/// The enclave's way to the simulated user.
struct SimulatedAgent: UserAgent {
    let user: SimulatedUser

    func biometry() throws(Refusal) -> BiometryStatus { user.sensor.status }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        user.answer(question, by: deadline)
    }

    func withdraw(_ context: AuthenticationContext) { user.withdraw(context) }
}

extension SimulatedUser {
    fileprivate func answer(_ question: UserQuestion, by deadline: Deadline) -> UserAnswer {
        if let consent = state.update({ $0.consent }) { return Self.agree(question.kind, with: consent) }
        let answer = state.update { state -> Answer in
            state.questions.append(Question(question))
            (state.open, state.isWithdrawn) = (question.context, false)
            return state.script.isEmpty ? .unreachable : state.script.removeFirst()
        }
        defer { state.update { $0.open = nil } }
        guard answer == .wait else { return reply(to: question.kind, with: answer) }
        let isWithdrawn = state.wait(deadline: deadline) { $0.isWithdrawn ? true : nil } ?? false
        return isWithdrawn ? .withdrawn : .timedOut
    }

    private static func agree(_ kind: UserQuestion.Kind, with passcode: String) -> UserAnswer {
        kind == .finger ? .fallback : .secret(SecretBytes(copying: Array(passcode.utf8).span))
    }

    fileprivate func withdraw(_ context: AuthenticationContext) {
        state.update { state in if state.open == context { state.isWithdrawn = true } }
    }

    /// An answer to another question than was asked, such as a finger on the sensor under a prompt for the passcode,
    /// goes unnoticed: the prompt stays until its time is over.
    private func reply(to kind: UserQuestion.Kind, with answer: Answer) -> UserAnswer {
        switch (answer, kind) {
        case (.touch(let finger), .finger): sensor.fingers.contains(finger) ? .matched : .noMatch
        case (.passcode(let text), .passcode): .secret(SecretBytes(copying: Array(text.utf8).span))
        case (.password(let text), .applicationPassword), (.password(let text), .newApplicationPassword):
            .secret(SecretBytes(copying: Array(text.utf8).span))
        case (.fallback, .finger): .fallback
        case (.cancel, _): .cancelled
        case (.unreachable, _): .unreachable
        default: .timedOut
        }
    }
}

extension SimulatedUser.Question {
    fileprivate init(_ question: UserQuestion) {
        kind = Kind(question.kind)
        (program, item) = (question.prompt.program, question.prompt.item)
        reason = question.prompt.reason
        (fallbackTitle, cancelTitle) = (question.prompt.fallbackTitle, question.prompt.cancelTitle)
        failures = Int(question.failures)
        allowsFallback = question.allowsFallback
    }
}

extension SimulatedUser.Question.Kind {
    fileprivate init(_ kind: UserQuestion.Kind) {
        self =
            switch kind {
            case .finger: .finger
            case .passcode, .unlocking: .passcode
            case .applicationPassword: .applicationPassword
            case .newApplicationPassword: .newApplicationPassword
            case .loginPassword: .loginPassword
            case .shownDigits, .shownCode: .shownDigits
            case .digits, .code: .digits
            }
    }
}
