import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// The questions that are open, and the socket that they are asked through.
final class QuestionTable: Sendable {
    struct Entry {
        let question: IdentifierQuestion
        let deadline: Deadline
        /// A channel may be one of an identifier that has just ended. The question that ends it ends no more of them.
        var attempts = 3
        var isSent = false
        /// Whether the asking thread waits for the answer.
        var isAwaited = false
        var delivery: IdentifierChannel.Delivery?
        /// Answers that nobody has asked for yet.
        var outcome: IdentifierChannel.Outcome?
    }

    struct State {
        var socket: UnixSocket?
        var entries: [UInt32: Entry] = [:]
        var last: UInt32 = 0
        var wakeup: Wakeup?
        var isClosed = false
        /// Users' files that the identifier has not closed, by the questions that they went with: also of one that was
        /// given up.
        var lent: [UInt32: UInt32] = [:]
        /// Until when nothing is asked whose answer is waited for: the last one did not come.
        var silence = Deadline.now

        /// Whether somebody waits for an answer and receives what comes.
        var isAwaited: Bool { entries.values.contains { $0.isAwaited && $0.outcome == nil } }
    }

    let state = Lock(State())

    /// More are not open at a time; the server has fewer under way of each user.
    private static let mostOpen = 256
    /// Files of one user that the identifier may have: as many as it has threads to close them with.
    private static let mostLent = ForeignFiles.threadsOfUser
    /// How long nobody waits for answers after one did not come at once: milliseconds.
    private static let silenceTime = 100

    /// Answers to deliver when the table is not held any more.
    typealias Deliveries = [(IdentifierChannel.Delivery, IdentifierChannel.Outcome)]

    func use(_ socket: UnixSocket) {
        tell(
            state.withLock { state in
                let lost = Self.lose(&state)
                state.socket = socket
                state.wakeup?.signal()
                return lost
            })
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wakeup?.signal()
        }
    }
}

// MARK: - Asking

extension QuestionTable {
    /// Puts a question whose answer is waited for; its number.
    func putAtOnce(_ question: IdentifierQuestion) -> UInt32? {
        state.withLock { state -> UInt32? in
            guard state.silence.hasPassed, let socket = state.socket else { return nil }
            let number = Self.add(question, to: &state)
            do throws(SystemError) { try Self.send(question, number, through: socket, by: .now) } catch {
                state.entries[number] = nil
                if error.isEnd { Self.drop(&state) }
                return nil
            }
            state.entries[number]?.isSent = true
            state.entries[number]?.isAwaited = true
            return number
        }
    }

    func put(_ question: IdentifierQuestion, _ delivery: @escaping IdentifierChannel.Delivery) {
        let refusal: Refusal? = state.withLock { state in
            guard state.entries.count < Self.mostOpen else { return .tooManyQuestions }
            if let user = question.fileOwner, state.lent.values.count(where: { $0 == user }) >= Self.mostLent {
                return .unclosedFiles
            }
            do throws(Refusal) { try wakeReceiver(&state) } catch { return error }
            let number = Self.add(question, to: &state)
            state.entries[number]?.delivery = delivery
            return nil
        }
        if let refusal { delivery(.failure(refusal)) }
    }

    /// Whether a question is not answered yet.
    func isOpen(_ number: UInt32) -> Bool { state.withLock { $0.entries[number].map { $0.outcome == nil } ?? false } }

    /// The end of a question whose answer was waited for; nil when there is none, and then nobody waits for one
    /// soon.
    func finish(_ number: UInt32) -> IdentifierChannel.Outcome? {
        state.withLock { state in
            let outcome = state.entries.removeValue(forKey: number)?.outcome
            if outcome == nil { state.silence = .after(milliseconds: Self.silenceTime) }
            // It has left the socket alone meanwhile.
            if !state.entries.isEmpty { state.wakeup?.signal() }
            return outcome
        }
    }

    private static func add(_ question: IdentifierQuestion, to state: inout State) -> UInt32 {
        repeat { state.last &+= 1 } while state.entries[state.last] != nil || state.lent[state.last] != nil
        if let user = question.fileOwner { state.lent[state.last] = user }
        state.entries[state.last] = Entry(
            question: question, deadline: .after(milliseconds: ProgramInspections.timeout))
        return state.last
    }

    static func send(
        _ question: IdentifierQuestion, _ number: UInt32, through socket: UnixSocket, by deadline: Deadline
    ) throws(SystemError) {
        let (body, attached) = question.message(number)
        try body.withSpan { (bytes) throws(SystemError) in
            try socket.sendFully(bytes, attaching: attached, deadline: deadline)
        }
    }
}

// MARK: - Answers

extension QuestionTable {
    /// Receives an answer to any question; false when none comes in time or the identifier has ended.
    func receive(by deadline: Deadline) -> Bool {
        guard let socket = state.withLock({ $0.socket }) else { return false }
        do throws(SystemError) {
            try socket.descriptor.wait(for: .readable, deadline: deadline)
            guard let (number, outcome) = try Self.receive(from: socket) else { return true }
            tell(
                state.withLock { state in
                    state.lent[number] = nil
                    return Self.settle(number, outcome, in: &state)
                })
            return true
        } catch {
            if error.code != ETIMEDOUT { lose(socket) }
            return false
        }
    }

    func tell(_ deliveries: Deliveries) { for (deliver, outcome) in deliveries { deliver(outcome) } }

    static func settle(
        _ number: UInt32, _ outcome: IdentifierChannel.Outcome, in state: inout State
    ) -> Deliveries {
        // A question that was given up wants no answer.
        guard let entry = state.entries[number] else { return [] }
        if let delivery = entry.delivery {
            state.entries[number] = nil
            return [(delivery, outcome)]
        }
        state.entries[number]?.outcome = outcome
        return []
    }

    private static func receive(
        from socket: UnixSocket
    ) throws(SystemError) -> (number: UInt32, outcome: IdentifierChannel.Outcome)? {
        let room = IdentifierFormat.answerRoom
        return try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { (bytes) throws(SystemError) in
            // Bytes without room are not read.
            var span = unsafe MutableSpan<UInt8>(_unsafeElements: bytes)
            guard let arrival = try socket.receiveAttached(into: &span) else { return nil }
            guard arrival.count > 0 else { throw ended }
            let body = SecretBytes(copying: span.span.extracting(..<arrival.count))
            return try read(WireReader(body), arrival.descriptors)
        }
    }

    /// - Throws: `SystemError` for what is no answer: nothing that comes after it is believed either.
    private static func read(
        _ body: WireReader, _ descriptors: [FileDescriptor]
    ) throws(SystemError) -> (number: UInt32, outcome: IdentifierChannel.Outcome) {
        var reader = body
        guard let number = try? reader.integer(UInt32.self) else { throw ended }
        let outcome = Result { () throws(Refusal) in
            let status = try reader.integer(Int32.self)
            guard status == 0 else { throw try reader.refusal(status: status) }
            return IdentifierChannel.Answer(reader: reader, descriptors: descriptors)
        }
        return (number, outcome)
    }

    private static var ended: SystemError {
        SystemError(code: EPIPE, call: "recvmsg", advice: "the identifier has ended")
    }

    /// The identifier at the other end of a socket has ended.
    func lose(_ socket: UnixSocket) {
        tell(
            state.withLock { state in
                // There may be a new one by now.
                state.socket?.descriptor === socket.descriptor ? Self.lose(&state) : []
            })
    }

    /// The question is to be asked again, a few times at most.
    private static func lose(_ state: inout State) -> Deliveries {
        drop(&state)
        var deliveries: Deliveries = []
        for (number, entry) in state.entries where entry.isSent && entry.outcome == nil {
            state.entries[number]?.isSent = false
            state.entries[number]?.attempts = entry.attempts - 1
            if entry.attempts <= 1 { deliveries += settle(number, .failure(.endedIdentifier), in: &state) }
        }
        return deliveries
    }

    /// Ends the channel for the identifier and for the master, which gives another one then.
    private static func drop(_ state: inout State) {
        if let socket = state.socket { shutdown(socket.descriptor.number, CInt(SHUT_RDWR)) }
        state.socket = nil
        // The files that it has go with the channel; those not sent to it are lent to the next one.
        state.lent = state.lent.filter { state.entries[$0.key]?.isSent == false }
    }
}

extension SystemError {
    /// Whether nobody is at the other end. All else may pass: there is no room now, or too many descriptors are on
    /// their way.
    var isEnd: Bool { code == EPIPE || code == ECONNRESET || code == ENOTCONN }
}

extension Refusal {
    static let absentIdentifier = refused("cannot be reached")
    static let silentIdentifier = refused("did not answer in time")
    static let endedIdentifier = refused("has ended while it looked at the program")
    static let unclosedFiles = refused("has too many files of this user that it cannot close")
    static let tooManyQuestions = refused("has too many questions to answer")
    static func noReceiver(_ error: SystemError) -> Refusal { refused("cannot be asked now (\(error))") }

    private static func refused(_ what: String) -> Refusal {
        Refusal(
            .notAvailable, .unidentifiedCaller, "program", "The process that finds out which program asks \(what).",
            do: "Try again; the log of the service says more (journalctl -u keychain-identifier).")
    }
}
