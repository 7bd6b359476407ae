import KeychainModel
import KeychainWire
import LinuxSystem

/// A daemon's way to the identifier: several questions at a time, each with a number and a deadline, which are answered in any order. The
/// master gives a new channel when the identifier has ended; what was open then is asked again there.
///
/// Most answers come so soon that whoever asks waits for them. A question whose answer does not is left to a thread that waits for all
/// of those.
final class IdentifierChannel: Sendable {
    /// What was answered, after its status.
    struct Answer: Sendable {
        let reader: WireReader
        let descriptors: [FileDescriptor]
    }

    typealias Outcome = Result<Answer, Refusal>
    typealias Delivery = @Sendable (Outcome) -> Void

    private let table: QuestionTable

    init() { table = QuestionTable() }

    deinit { table.close() }

    /// Asks through this from now on.
    func use(_ socket: UnixSocket) { table.use(socket) }

    /// Asks without waiting for anything; nil when that cannot be done now, or other questions are open: this one's answer may be long in
    /// coming, too.
    func begin(_ question: IdentifierQuestion) -> PendingAnswer? {
        table.putAtOnce(question).map { PendingAnswer($0, in: table) }
    }

    /// Asks, and has the outcome delivered when it is there: by another thread, or at once.
    ///
    /// - Parameter deliver: gets what the identifier says or refuses; `errSecNotAvailable` when it cannot be reached, has ended again and
    ///   again or does not answer, or when too many questions are open.
    func ask(_ question: IdentifierQuestion, then deliver: @escaping Delivery) { table.put(question, deliver) }
}

/// A question that has been put and not been answered yet.
final class PendingAnswer: Sendable {
    private let number: UInt32
    private let table: QuestionTable

    fileprivate init(_ number: UInt32, in table: QuestionTable) { (self.number, self.table) = (number, table) }

    deinit { table.abandon(number) }

    /// The answer, if it comes within some milliseconds; nil when ``deliver(to:)`` has to wait for it.
    ///
    /// - Throws: what the identifier refuses.
    func take(within milliseconds: Int) throws(Refusal) -> IdentifierChannel.Answer? {
        let deadline = Deadline.after(milliseconds: milliseconds)
        while true {
            if let outcome = table.take(number) { return try outcome.get() }
            guard table.receive(by: deadline) else { break }
        }
        try table.leave(number)
        return nil
    }

    /// As ``IdentifierChannel/ask(_:then:)``.
    func deliver(to deliver: @escaping IdentifierChannel.Delivery) { table.deliver(number, to: deliver) }
}
