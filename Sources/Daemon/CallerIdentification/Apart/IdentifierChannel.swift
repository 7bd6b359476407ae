import KeychainModel
import KeychainWire
import LinuxSystem

/// A daemon's way to the identifier: several questions at a time, each with a number and a deadline, which are answered
/// in any order. The master gives a new channel when the identifier has ended; what was open then is asked again there.
///
/// A known answer comes so soon that the caller waits for it. All other questions are left to a thread that
/// waits for their answers.
final class IdentifierChannel: Sendable {
    /// The answer, after its status.
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

    /// Asks what is known at once, and waits for that for some milliseconds; nil when nothing was heard.
    ///
    /// - Throws: what the identifier refuses.
    func ask(_ question: IdentifierQuestion, within milliseconds: Int) throws(Refusal) -> Answer? {
        guard let number = table.putAtOnce(question) else { return nil }
        let deadline = Deadline.after(milliseconds: milliseconds)
        while table.isOpen(number), table.receive(by: deadline) {}
        return try table.finish(number)?.get()
    }

    /// Asks, and has the outcome delivered when it is there: by another thread, or at once.
    ///
    /// - Parameter deliver: gets what the identifier says or refuses; `errSecNotAvailable` when it cannot be reached,
    ///   has ended again and again or does not answer, or when too many questions are open.
    func ask(_ question: IdentifierQuestion, then deliver: @escaping Delivery) { table.put(question, deliver) }
}
