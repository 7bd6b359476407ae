import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization

/// A daemon's way to the identifier: one question at a time, each with a deadline. The master gives a new one when the identifier has
/// ended; who asks meanwhile waits for it.
final class IdentifierChannel: Sendable {
    /// What was answered, after its status.
    struct Answer: Sendable {
        let reader: WireReader
        let descriptors: [FileDescriptor]
    }

    private struct State {
        var socket: UnixSocket?
        var isBusy = false
        /// Answers that will come to questions whose askers have gone.
        var unwanted = 0
    }

    private let state = Monitor(State())

    /// How long all of it may take: milliseconds.
    fileprivate static let patience = QuestionClock.patience
    /// A channel may be one of an identifier that has just ended. Who ends it with a question ends no more of them.
    private static let attempts = 3

    func use(_ socket: UnixSocket) { state.update { ($0.socket, $0.unwanted) = (socket, 0) } }

    /// Asks without waiting for anything; nil when that cannot be done now.
    func begin(_ question: IdentifierQuestion) -> PendingAnswer? {
        guard let socket = take(by: .now) else { return nil }
        do throws(SystemError) {
            let (body, attached) = question.message
            try body.withSpan { (bytes) throws(SystemError) in
                try socket.sendFully(bytes, attaching: attached, deadline: .now)
            }
            return PendingAnswer(question, self, socket)
        } catch {
            giveBack(socket, isBroken: true)
            return nil
        }
    }

    /// - Throws: what the identifier refuses; `errSecNotAvailable` when it cannot be reached, has ended again and again or does not answer.
    func ask(_ question: IdentifierQuestion) throws(Refusal) -> Answer {
        let deadline = Deadline.after(milliseconds: Self.patience)
        for _ in 0..<Self.attempts {
            guard let socket = take(by: deadline) else { throw .absentIdentifier }
            switch exchange(question, through: socket, by: deadline) {
            case .success(let answer):
                giveBack(socket, isBroken: false)
                return try Self.check(answer)
            case .failure(let error):
                giveBack(socket, isBroken: true)
                if error.code == ETIMEDOUT { throw .silentIdentifier }
            }
        }
        throw .endedIdentifier
    }

    private func take(by deadline: Deadline) -> UnixSocket? {
        state.wait(deadline: deadline) { state in
            guard !state.isBusy, let socket = state.socket else { return nil }
            state.isBusy = true
            return socket
        }
    }

    /// The asker has gone before the answer has come.
    fileprivate func abandon(_ socket: UnixSocket) {
        state.update { state in
            state.isBusy = false
            if state.socket?.descriptor === socket.descriptor { state.unwanted += 1 }
        }
    }

    fileprivate func giveBack(_ socket: UnixSocket, isBroken: Bool) {
        state.update { state in
            state.isBusy = false
            // There may be a new one by now.
            if isBroken, state.socket?.descriptor === socket.descriptor { state.socket = nil }
        }
    }

    private func exchange(
        _ question: IdentifierQuestion, through socket: UnixSocket, by deadline: Deadline
    ) -> Result<Answer, SystemError> {
        Result { () throws(SystemError) in
            let (body, attached) = question.message
            try body.withSpan { (bytes) throws(SystemError) in
                try socket.sendFully(bytes, attaching: attached, deadline: deadline)
            }
            return try receive(from: socket, by: deadline)
        }
    }

    /// The next answer that somebody wants.
    fileprivate func receive(from socket: UnixSocket, by deadline: Deadline) throws(SystemError) -> Answer {
        while true {
            try socket.descriptor.wait(for: .readable, deadline: deadline)
            let answer = try Self.receive(from: socket)
            let isWanted = state.update { state in
                guard state.unwanted > 0, state.socket?.descriptor === socket.descriptor else { return true }
                state.unwanted -= 1
                return false
            }
            if isWanted { return answer }
        }
    }

    private static func receive(from socket: UnixSocket) throws(SystemError) -> Answer {
        let room = IdentifierFormat.answerRoom
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { (bytes) throws(SystemError) in
            // What is not received into is not read.
            var span = unsafe MutableSpan<UInt8>(_unsafeElements: bytes)
            guard let arrival = try socket.receiveAttached(into: &span), arrival.count > 0 else {
                throw SystemError(code: EPIPE, call: "recvmsg", advice: "the identifier has ended")
            }
            let body = SecretBytes(copying: span.span.extracting(..<arrival.count))
            return Answer(reader: WireReader(body), descriptors: arrival.descriptors)
        }
    }

    /// The answer behind its status.
    fileprivate static func check(_ answer: Answer) throws(Refusal) -> Answer {
        var reader = answer.reader
        let status = try reader.integer(Int32.self)
        guard status == 0 else { throw try reader.refusal(status: status) }
        return Answer(reader: reader, descriptors: answer.descriptors)
    }
}

/// A question that has been put and not been answered yet. It holds the channel until it is answered or given up.
final class PendingAnswer: Sendable {
    private let question: IdentifierQuestion
    private let channel: IdentifierChannel
    private let socket: UnixSocket
    private let isOpen = Atomic(true)

    fileprivate init(_ question: IdentifierQuestion, _ channel: IdentifierChannel, _ socket: UnixSocket) {
        (self.question, self.channel, self.socket) = (question, channel, socket)
    }

    deinit { if isOpen.load(ordering: .relaxed) { channel.abandon(socket) } }

    /// The answer, if it comes within some milliseconds; nil when ``finish()`` has to wait for it.
    ///
    /// - Throws: what the identifier refuses.
    func take(within milliseconds: Int) throws(Refusal) -> IdentifierChannel.Answer? {
        let deadline = Deadline.after(milliseconds: milliseconds)
        guard let answer = try? channel.receive(from: socket, by: deadline) else { return nil }
        return try IdentifierChannel.check(close(answer))
    }

    /// Waits for the answer; asks once more if the identifier has ended.
    ///
    /// - Throws: as ``IdentifierChannel/ask(_:)``.
    func finish() throws(Refusal) -> IdentifierChannel.Answer {
        let deadline = Deadline.after(milliseconds: IdentifierChannel.patience)
        let answer: IdentifierChannel.Answer
        do throws(SystemError) { answer = try channel.receive(from: socket, by: deadline) } catch {
            isOpen.store(false, ordering: .relaxed)
            channel.giveBack(socket, isBroken: true)
            if error.code == ETIMEDOUT { throw .silentIdentifier }
            return try channel.ask(question)
        }
        return try IdentifierChannel.check(close(answer))
    }

    private func close(_ answer: IdentifierChannel.Answer) -> IdentifierChannel.Answer {
        isOpen.store(false, ordering: .relaxed)
        channel.giveBack(socket, isBroken: false)
        return answer
    }
}

extension Refusal {
    fileprivate static let absentIdentifier = refused("cannot be reached")
    fileprivate static let silentIdentifier = refused("did not answer in time")
    fileprivate static let endedIdentifier = refused("has ended while it looked at the program")

    private static func refused(_ what: String) -> Refusal {
        Refusal(
            .notAvailable, .unidentifiedCaller, "program", "The process that finds out which program asks \(what).",
            do: "Try again; the log of the service says more (journalctl -u keychain-identifier).")
    }
}
