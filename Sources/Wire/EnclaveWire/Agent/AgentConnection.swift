import Glibc
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's end of the connection to an agent in a process of its own.
///
/// Thread-safe. A thread of its own reads the agent's messages. It runs when the initialiser returns, so that a program
/// can close itself in afterwards. When the agent has gone, or has broken the format, all calls under way are refused
/// at once. No answer of a user is lost with it. Later calls are refused too, unless a queue gives the next agent.
package final class AgentConnection: UserAgent {
    private let seat: AgentSeat
    /// The agent's process, where this side started it.
    package let process: ChildProcess?

    /// How long a session agent is waited for, which any program of its user can stop.
    private static let ofSession = AgentSeat.Patience(next: 0, withdrawn: 5_000, call: 3_000)
    /// How many milliseconds after the question's deadline an agent may still take to clear up.
    private static let grace = 5_000

    /// Takes over the socket and starts to read.
    ///
    /// - Parameters:
    ///   - process: the agent's process, waited for when the connection ends.
    ///   - desk: gives the next agent when this one has gone.
    ///   - whenGone: called on the reading thread when the agent has gone, after its hello, and there is no other.
    ///   - onEvent: called on the reading thread for each event of the session. The agent delays a suspension of the
    ///     machine until it returns. It must not call the agent, because the answer would come on the same thread.
    /// - Throws: `errSecNotAvailable` when there is no thread to be had.
    package init(
        _ socket: UnixSocket, process: ChildProcess? = nil, desk: AgentQueue? = nil,
        whenGone: @escaping @Sendable () -> Void = {},
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) throws(Refusal) {
        self.process = process
        seat = AgentSeat(socket, desk, onEvent: onEvent)
        try startReading(whenGone: whenGone)
    }

    /// Takes one agent after the other from a queue that may have none for hours: the session agents of a user. A call
    /// that finds none is refused at once. Such an agent's events of the session are not believed.
    ///
    /// - Throws: `errSecNotAvailable` when there is no thread to be had.
    package init(sessionAgentsOf queue: AgentQueue) throws(Refusal) {
        process = nil
        do throws(SystemError) {
            // The other end is closed on return: nobody has registered yet.
            seat = AgentSeat(try UnixSocket.pair().0, queue, patience: Self.ofSession) { _ in }
        } catch { throw .noAgent(error) }
        try startReading {}
    }

    private func startReading(whenGone: @escaping @Sendable () -> Void) throws(Refusal) {
        let ready = Monitor(false)
        do throws(SystemError) {
            _ = try Thread(named: "agent-answers") { [seat, process] in
                ready.update { $0 = true }
                seat.read()
                if seat.channel.hasGreeted { whenGone() }
                process?.reap()
            }
        } catch {
            seat.close()
            process?.reap()
            throw .noAgent(error)
        }
        // A thread that is just starting makes system calls that it will never need again.
        ready.wait { $0 ? () : nil }
    }

    deinit { seat.close() }

    /// Ends the agent; calls under way are refused.
    package func close() { seat.close() }

    /// The prompt methods that the agent has found.
    ///
    /// - Throws: `errSecNotAvailable` when the agent has gone.
    package func report() throws(Refusal) -> AgentReport {
        try seat.openChannel().call(.report, within: seat.timeout) { (reader) throws(Refusal) in
            try AgentReport(from: &reader)
        }
    }

    package func found() -> AgentReport? { try? report() }

    package func biometry() throws(Refusal) -> BiometryStatus {
        try seat.openChannel().call(.biometry, within: seat.timeout) { (reader) throws(Refusal) in
            try BiometryStatus(forAgentFrom: &reader)
        }
    }

    package func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        let body = SecretBuffer()
        let left = min(
            deadline.remainingNanoseconds.map { $0 / 1_000_000 } ?? .max, UInt64(AgentFormat.longestQuestion))
        body.append(littleEndian: UInt32(left))
        question.append(to: body)
        let terminal = question.prompt.surroundings.opened.map { [$0.device] } ?? []
        return try seat.openChannel().call(.ask, body, terminal, in: question.context, within: Int(left) + Self.grace) {
            (reader) throws(Refusal) in
            let answer = try UserAnswer(from: &reader)
            guard question.kind.mayBeAnswered(with: answer, allowsFallback: question.allowsFallback) else {
                throw .malformed("the agent's answer")
            }
            return answer
        }
    }

    package func withdraw(_ context: AuthenticationContext) { seat.channel.withdraw(context) }
}
