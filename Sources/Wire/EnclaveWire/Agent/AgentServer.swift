import Glibc
import KeychainModel
import KeychainWire
package import LinuxSystem

/// The agent's end of the connection: serves one enclave until it goes.
///
/// The thread that calls ``run()`` reads. A second thread asks the questions, one at a time. A third answers the calls
/// that wait for nobody. So neither such a call nor the end of a question waits for the user. An enclave that breaks
/// the format loses the connection.
package final class AgentServer: Sendable {
    private let interface: any AgentService
    private let socket: EnclaveSocket
    private let sending = Lock(())
    private let work = Monitor(Work())

    /// How long the enclave may take to read a message: milliseconds.
    private static let sendingTimeout = 10_000
    /// How long a question may take to end when the enclave has gone: milliseconds.
    private static let endingTimeout = 3_000

    private struct Work {
        var isEnding = false
        /// The question until its answer is sent, and whether it has yet to be asked.
        var open: Question?
        var isUnasked = false
        var looks: [AgentWord] = []
        /// How many events were sent, and the last of them that the enclave has taken.
        var events: (sent: UInt32, taken: UInt32) = (0, 0)
        var threads = 0
    }

    private struct Question {
        let id: UInt32
        let question: UserQuestion
        let deadline: Deadline
        let withdrawal: Withdrawal
    }

    /// Greets the enclave, which may not have begun to read.
    ///
    /// - Throws: `SystemError` when there are no threads to be had.
    package init(_ interface: any AgentService, channel: UnixSocket) throws(SystemError) {
        (self.interface, socket) = (interface, EnclaveSocket(channel))
        // Sent before any event can be.
        let version = SecretBuffer(capacity: 4)
        version.append(littleEndian: AgentFormat.version)
        send(AgentWord(.hello), version)
        work.update { $0.threads = 2 }
        _ = try Thread(named: "agent-ask") { [self] in
            while askNext() {}
            work.update { $0.threads -= 1 }
        }
        _ = try Thread(named: "agent-look") { [self] in
            while lookNext() {}
            work.update { $0.threads -= 1 }
        }
    }

    /// Serves until the enclave has gone, has broken the format, or ``end()`` was called; an open question has ended
    /// then.
    package func run() {
        while let message = try? socket.receive(deadline: .never), take(message) {}
        end()
        _ = work.wait(deadline: .after(milliseconds: Self.endingTimeout)) { $0.threads == 0 ? () : nil }
    }

    /// Ends the connection, and the question that is open.
    package func end() {
        // First, so that the question that is open is not answered as if the enclave had withdrawn it.
        shutdown(socket.socket.descriptor.number, CInt(SHUT_RDWR))
        work.update { work in
            work.isEnding = true
            work.open?.withdrawal.withdraw()
        }
    }

    /// Sends an event of the session to the enclave, and waits until the enclave has acted on it. One thread at a time.
    ///
    /// - Returns: whether the enclave has acted on it within so many milliseconds.
    @discardableResult
    package func tell(_ event: SessionEvent, timeout: Int = 2_000) -> Bool {
        let id = work.update { work in
            work.events.sent &+= 1
            return AgentWord(.event, work.events.sent).id
        }
        let body = SecretBuffer(capacity: 1)
        body.append(event.rawValue)
        send(AgentWord(.event, id), body)
        let taken = work.wait(deadline: .after(milliseconds: timeout)) { work -> Bool? in
            work.isEnding ? false : work.events.taken == id ? true : nil
        }
        return taken ?? false
    }

    private func send(_ word: AgentWord, _ body: SecretBuffer = SecretBuffer(capacity: 0)) {
        do throws(SystemError) {
            try sending.withLock { (_) throws(SystemError) in
                try body.withSpan { (body) throws(SystemError) in
                    try socket.send(word.word, body, deadline: .after(milliseconds: Self.sendingTimeout))
                }
            }
        } catch { end() }
    }
}

// MARK: - What the enclave sends

extension AgentServer {
    /// Whether the message was one that an enclave may send.
    private func take(_ message: EnclaveSocket.Message) -> Bool {
        guard let word = AgentWord(message.word) else { return false }
        var reader = WireReader(message.body)
        switch word.operation {
        case .report, .biometry: enqueueLook(word)
        case .ask:
            guard let question = try? Self.question(word.id, &reader, message.descriptors) else { return false }
            enqueue(question)
        case .withdraw:
            guard let context = try? AuthenticationContext(from: &reader), reader.isAtEnd else { return false }
            work.update { work in
                if let open = work.open, open.question.context == context { open.withdrawal.withdraw() }
            }
        case .eventTaken: work.update { $0.events.taken = word.id }
        case .hello, .answer, .busy, .event: return false
        }
        return reader.isAtEnd
    }

    private static func question(
        _ id: UInt32, _ reader: inout WireReader, _ descriptors: [FileDescriptor]
    ) throws -> Question {
        let milliseconds = min(try reader.integer(UInt32.self), AgentFormat.longestQuestion)
        var question = try UserQuestion(from: &reader)
        if question.prompt.surroundings.comesOpened {
            question.prompt.surroundings.opened = descriptors.first.map(OpenedTerminal.init)
        }
        guard reader.isAtEnd else { throw Refusal.malformed("the end of a question") }
        return Question(
            id: id, question: question, deadline: .after(milliseconds: Int(milliseconds)),
            withdrawal: try Withdrawal())
    }

    private func enqueueLook(_ word: AgentWord) {
        let isTaken = work.update { work in
            guard work.looks.count < AgentFormat.openCalls else { return false }
            work.looks.append(word)
            return true
        }
        if !isTaken { send(AgentWord(.busy, word.id)) }
    }

    private func enqueue(_ question: Question) {
        let isTaken = work.update { work in
            guard work.open == nil else { return false }
            (work.open, work.isUnasked) = (question, true)
            return true
        }
        if !isTaken { send(AgentWord(.busy, question.id)) }
    }
}

// MARK: - The threads

extension AgentServer {
    /// Puts the next question; false at the end of the connection.
    private func askNext() -> Bool {
        let next = work.wait { work -> Question?? in
            if work.isEnding { return .some(nil) }
            guard work.isUnasked else { return nil }
            work.isUnasked = false
            return work.open
        }
        guard case .some(.some(let open)) = next else { return false }
        let given = interface.ask(open.question, by: open.deadline, until: open.withdrawal)
        // The enclave may ask again as soon as it has the answer.
        work.update { $0.open = nil }
        answer(open.id) { given.append(to: $0) }
        return true
    }

    /// Answers the next call that waits for nobody; false at the end of the connection.
    private func lookNext() -> Bool {
        let next = work.wait { work -> AgentWord?? in
            if work.isEnding { return .some(nil) }
            if work.looks.isEmpty { return nil }
            return .some(work.looks.removeFirst())
        }
        guard case .some(.some(let look)) = next else { return false }
        answer(look.id) { body in
            if look.operation == .report {
                interface.report().append(to: body)
            } else {
                interface.biometry().appendForAgent(to: body)
            }
        }
        return true
    }

    private func answer(_ id: UInt32, _ write: (SecretBuffer) -> Void) {
        let body = SecretBuffer(capacity: 256)
        write(body)
        send(AgentWord(.answer, id), body)
    }
}
