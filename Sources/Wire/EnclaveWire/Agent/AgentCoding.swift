import KeychainModel
import KeychainWire
import LinuxSystem

extension UserQuestion {
    /// question = kind:u8 allowsFallback:u8 failures:u32 wait:u32 context prompt change digits:text
    /// change   = 0:u8 | kind:u8 name:text fingerprint:text others:text
    func append(to buffer: SecretBuffer) {
        buffer.append(kind.rawValue)
        buffer.append(allowsFallback ? 1 : 0)
        buffer.append(littleEndian: failures)
        buffer.append(littleEndian: wait)
        context.append(to: buffer)
        prompt.append(to: buffer)
        buffer.append(change?.kind.rawValue ?? 0)
        if let change { for text in [change.name, change.fingerprint, change.others] { buffer.append(text: text) } }
        buffer.append(text: digits)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    init(from reader: inout WireReader) throws(Refusal) {
        guard let kind = Kind(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a question") }
        let allowsFallback = try reader.integer(UInt8.self) != 0
        let (failures, wait) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
        let context = try AuthenticationContext(from: &reader)
        self.init(kind, context, try Prompt(from: &reader))
        (self.failures, self.wait, self.allowsFallback) = (failures, wait, allowsFallback)
        change = try Change(from: &reader)
        digits = try reader.text()
    }
}

extension UserQuestion.Change {
    fileprivate init?(from reader: inout WireReader) throws(Refusal) {
        let number = try reader.integer(UInt8.self)
        if number == 0 { return nil }
        guard let kind = Kind(rawValue: number) else { throw .malformed("a change of the circle") }
        self.init(
            kind, name: try reader.text(), fingerprint: try reader.text(), others: try reader.text())
    }
}

extension UserQuestion.Kind {
    /// Whether it shows something, and asks for nothing.
    package var isShown: Bool { self == .shownDigits || self == .shownCode }

    /// Whether an answer is one that this question can have: an agent that gives a finger for a passcode is not
    /// believed.
    func mayBeAnswered(with answer: UserAnswer, allowsFallback: Bool) -> Bool {
        switch answer {
        case .matched, .noMatch: self == .finger || self == .loginPassword
        case .secret: self != .finger && self != .loginPassword && !isShown
        case .seen: isShown
        case .fallback: allowsFallback
        case .cancelled, .withdrawn, .unreachable, .timedOut: true
        }
    }
}

extension UserAnswer {
    /// answer = code:u8 [secret:bytes]                                  ; the secret with code 3
    func append(to buffer: SecretBuffer) {
        buffer.append(code)
        if case .secret(let secret) = self { secret.withSpan { buffer.append(bytes: $0) } }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    init(from reader: inout WireReader) throws(Refusal) {
        let code = try reader.integer(UInt8.self)
        if code == Self.secretCode {
            self = .secret(try reader.secret(atMost: AgentFormat.secretBytes))
            return
        }
        guard let plain = Self.plain.first(where: { $0.code == code }) else { throw .malformed("an answer") }
        self = plain
    }

    private static let secretCode: UInt8 = 3
    private static let plain: [UserAnswer] = [
        .matched, .noMatch, .fallback, .cancelled, .withdrawn, .unreachable, .timedOut, .seen,
    ]

    private var code: UInt8 {
        switch self {
        case .matched: 1
        case .noMatch: 2
        case .secret: Self.secretCode
        case .fallback: 4
        case .cancelled: 5
        case .withdrawn: 6
        case .unreachable: 7
        case .timedOut: 8
        case .seen: 9
        }
    }
}

extension BiometryStatus {
    /// biometry = state:u8 enrolment:bytes
    func appendForAgent(to buffer: SecretBuffer) {
        buffer.append(state.rawValue)
        buffer.append(bytes: enrolment.span)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read, or says what an agent cannot know.
    init(forAgentFrom reader: inout WireReader) throws(Refusal) {
        guard let state = State(rawValue: try reader.integer(UInt8.self)), state != .lockedOut else {
            throw .malformed("the state of biometry")
        }
        let enrolment = try reader.enrolment()
        guard enrolment.count == (state == .ready ? Self.enrolmentBytes : 0) else { throw .malformed("an enrolment") }
        self.init(state: state, enrolment: enrolment)
    }
}
