import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// Socket and open calls of a connection.
final class AgentChannel: Sendable {
    private let socket: EnclaveSocket
    private let sending = Lock(())
    private let calls = Monitor(Calls())
    private let onEvent: @Sendable (SessionEvent) -> Void
    /// How long a question that was withdrawn is waited for: milliseconds; nil for as long as any.
    private let farewell: Int?

    /// How long an agent may take to read a message: milliseconds.
    private static let sendingTimeout = 5_000

    private struct Calls {
        var isClosed = false
        var hasGreeted = false
        var nextID: UInt32 = 1
        /// Nil while there is no answer.
        var answers: [UInt32: Answer?] = [:]
        /// The contexts of the questions among them.
        var questions: [UInt32: AuthenticationContext] = [:]
        var withdrawn: Set<UInt32> = []
    }

    private enum Answer: Sendable {
        case body(SecretBytes)
        case busy
    }

    private enum Outcome {
        case answered(Answer)
        case gone
        case withdrawn
    }

    init(_ socket: UnixSocket, farewell: Int?, onEvent: @escaping @Sendable (SessionEvent) -> Void) {
        self.socket = EnclaveSocket(socket)
        (self.farewell, self.onEvent) = (farewell, onEvent)
    }

    var isClosed: Bool { calls.update { $0.isClosed } }
    /// Whether an agent was at the other end.
    var hasGreeted: Bool { calls.update { $0.hasGreeted } }

    func close() {
        calls.update { $0.isClosed = true }
        shutdown(socket.socket.descriptor.number, CInt(SHUT_RDWR))
    }

    /// Asks, and reads the answer to its end.
    ///
    /// - Parameter context: that of a question to the user; nil for any other call.
    func call<Result>(
        _ operation: AgentOperation, _ body: SecretBuffer = SecretBuffer(capacity: 0),
        _ descriptors: [FileDescriptor] = [], in context: AuthenticationContext? = nil, within milliseconds: Int,
        _ read: (inout WireReader) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let id = try begin(context)
        defer { forget(id) }
        tell(operation, body, id, descriptors)
        var reader = WireReader(try answer(to: id, within: milliseconds))
        do throws(Refusal) {
            let result = try read(&reader)
            guard reader.isAtEnd else { throw .malformed("the end of the agent's answer") }
            return result
        } catch {
            close()
            throw error
        }
    }

    private func begin(_ context: AuthenticationContext?) throws(Refusal) -> UInt32 {
        try calls.update { (calls) throws(Refusal) in
            if calls.isClosed { throw .endedAgent }
            guard calls.answers.count < AgentFormat.openCalls else { throw .busyAgent }
            let id = AgentWord(.ask, calls.nextID).id
            calls.nextID = id &+ 1
            calls.answers[id] = .some(nil)
            calls.questions[id] = context
            return id
        }
    }

    private func forget(_ id: UInt32) {
        calls.update { calls in
            calls.answers.removeValue(forKey: id)
            calls.questions.removeValue(forKey: id)
            calls.withdrawn.remove(id)
        }
    }

    private func answer(to id: UInt32, within milliseconds: Int) throws(Refusal) -> SecretBytes {
        var outcome = outcome(of: id, heedsWithdrawal: farewell != nil, within: milliseconds)
        if case .withdrawn = outcome, let farewell {
            outcome = self.outcome(of: id, heedsWithdrawal: false, within: farewell)
        }
        switch outcome {
        case .answered(.body(let content)): return content
        case .answered(.busy): throw .busyAgent
        case .gone: throw .endedAgent
        case .withdrawn, nil:
            close()
            throw .silentAgent
        }
    }

    private func outcome(of id: UInt32, heedsWithdrawal: Bool, within milliseconds: Int) -> Outcome? {
        calls.wait(deadline: .after(milliseconds: milliseconds)) { calls -> Outcome? in
            if case .some(.some(let answer)) = calls.answers[id] { return .answered(answer) }
            if calls.isClosed { return .gone }
            return heedsWithdrawal && calls.withdrawn.contains(id) ? .withdrawn : nil
        }
    }

    /// Tells the agent to end the question of a context.
    func withdraw(_ context: AuthenticationContext) {
        let body = SecretBuffer(capacity: 64)
        context.append(to: body)
        tell(.withdraw, body)
        calls.update { calls in
            for (id, asked) in calls.questions where asked == context { calls.withdrawn.insert(id) }
        }
    }

    /// Sends a message; when that fails, the channel is closed, which is how a caller learns of it.
    func tell(
        _ operation: AgentOperation, _ body: SecretBuffer = SecretBuffer(capacity: 0), _ id: UInt32 = 0,
        _ descriptors: [FileDescriptor] = []
    ) {
        guard body.count <= EnclaveChannelFormat.bodyLimit else { return close() }
        do throws(SystemError) {
            try sending.withLock { (_) throws(SystemError) in
                try body.withSpan { (body) throws(SystemError) in
                    let word = AgentWord(operation, id).word
                    try socket.send(
                        word, body, attaching: descriptors, deadline: .after(milliseconds: Self.sendingTimeout))
                }
            }
        } catch { close() }
    }

    /// Reads until the agent has gone or broken the format.
    func read() {
        defer { close() }
        guard let hello = try? socket.receive(deadline: .never), AgentWord(hello.word) == AgentWord(.hello),
            hello.body.withSpan({ $0.count == 4 && $0.littleEndian(UInt32.self, at: 0) == AgentFormat.version })
        else { return }
        calls.update { $0.hasGreeted = true }
        while let message = try? socket.receive(deadline: .never), take(message) {}
    }

    /// Whether the message was one that an agent may send.
    private func take(_ message: EnclaveSocket.Message) -> Bool {
        guard let word = AgentWord(message.word) else { return false }
        switch word.operation {
        case .answer: deliver(.body(message.body), to: word.id)
        case .busy: deliver(.busy, to: word.id)
        case .event:
            guard message.body.count == 1, let event = SessionEvent(rawValue: message.body.withSpan { $0[0] }) else {
                return false
            }
            onEvent(event)
            tell(.eventTaken, id: word.id)
        case .hello, .report, .biometry, .ask, .withdraw, .eventTaken: return false
        }
        return true
    }

    /// An answer that nobody waits for any longer is dropped.
    private func deliver(_ answer: Answer, to id: UInt32) {
        calls.update { calls in
            if calls.answers[id] != nil { calls.answers[id] = .some(answer) }
        }
    }

    private func tell(_ operation: AgentOperation, id: UInt32) { tell(operation, SecretBuffer(capacity: 0), id) }
}

extension Refusal {
    fileprivate static let endedAgent = Refusal(
        .notAvailable, .unavailable, "agent", "The process that asks the user has ended.",
        do: "Try again, or start the keychain daemon again; its log says why the agent ended.")

    fileprivate static let silentAgent = Refusal(
        .notAvailable, .deadline, "agent", "The process that asks the user did not answer in time, and was given up.",
        do: "Try again, or start the keychain daemon again.")

    fileprivate static let busyAgent = Refusal(
        .notAvailable, .unavailable, "agent", "The user is being asked something else.", do: "Try again later.")

    static func noAgent(_ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "agent", "The process that asks the user cannot be started (\(error)).",
            do: "Check that keychain-agent is in the daemon's folder and that the system has room for a process.")
    }
}
