package import KeychainModel
package import KeychainPolicy
package import KeychainWire
package import LinuxSystem

/// The interface between a server and an engine. Tests implement it with a stand-in.
package protocol RequestHandler: Sendable {
    associatedtype Reader: RequestReader
    associatedtype Write: QueuedWrite

    /// Makes the reader of one event loop.
    ///
    /// - Throws: the engine's refusal, such as `errSecNotAvailable` for a store that does not open.
    func makeItemReader() throws(Refusal) -> Reader

    /// A caller was identified, once for each connection. Must not block.
    func arrived(_ caller: CallerIdentity)

    /// Performs writes as one commit and answers each into its own writer. May block; is called on one thread at a
    /// time.
    func write(_ batch: [Write])

    /// Tidies up after many writes, once they were answered, on the thread that wrote. May block.
    func checkpointIfDue()

    /// Tidies up after the last write, on the thread that wrote. May block.
    func maintain()

    /// Answers a device request. May block for long; is called on several threads.
    func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, id: UInt32,
        by deadline: Deadline, into writer: ResponseWriter)

    /// The number of the device's state, for those who watch it.
    var stateEpoch: StateEpoch { get }

    /// The number of the circle of machines, for those who carry for it.
    var circleEpoch: StateEpoch { get }

    /// The number that moves with changes of items, for those who watch access groups.
    var groupEpoch: StateEpoch { get }

    /// The numbers of the groups that a caller watches. May block, but for no person.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that is not the caller's.
    func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber]

    /// The state with its number. May block.
    func news() throws(Refusal) -> DeviceStateChange

    /// Answers a key request. May block as long as a TPM works; is called on several threads.
    func key(_ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter)

    /// Answers what may have to ask the user. May block as long as a person; is called on several threads.
    ///
    /// - Parameters:
    ///   - password: the application password, where one came with the request.
    ///   - conversation: ended through ``withdraw(_:)`` when the caller goes away.
    func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity,
        _ conversation: PromptCancellation, id: UInt32, by deadline: Deadline, into writer: ResponseWriter)

    /// Withdraws the prompt that may be open in a conversation whose caller has gone. May block, but for no person. Is
    /// called again until the conversation has its end.
    func withdraw(_ conversation: PromptCancellation)
}

/// Answers searches at once, on the thread that owns it.
package protocol RequestReader: AnyObject {
    /// Ends the read transaction if the store has changed since: once in every turn of its loop.
    func endIfOutdated()

    /// Ends the read transaction before its loop sleeps.
    func endTransaction()

    /// Whether something in the store waits for those who read: a long search begins later, or ends its page.
    var isInTheWay: Bool { get }

    /// Answers one search with a complete frame; gives it up when the deadline passes.
    func read(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter)

    /// The same in turns, each of which ends when it is told that others wait: a page that has something is answered
    /// then.
    ///
    /// - Parameter place: where the turn before ended; nil for the first.
    /// - Returns: where the next turn goes on, when nothing was found: nothing is answered then. Nil when there is an
    ///   answer.
    func read(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter, goingOnAt place: SearchPlace?, endingTurnWhen isDue: @escaping () -> Bool
    ) -> SearchPlace?

    /// The same for a search that should not take long; false when it did, or has a large value to open: it is not
    /// answered then.
    func lookUp(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        within microseconds: Int,
        into writer: ResponseWriter
    ) -> Bool
}

/// A write on its way through a commit.
package protocol QueuedWrite {
    init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline)
    /// Holds the complete answer once the commit is done.
    var writer: ResponseWriter { get }
}

/// Knows who is at the other end of a connection.
package protocol CallerRegistry: Sendable {
    /// The identity of a peer, if it is known at once; asked when it has connected. A peer that is not known, or is to
    /// be refused, is identified when it asks for something.
    func recognize(_ peer: UnixSocket) -> IdentifiedCaller?

    /// Identifies a peer, or says what to do to find it out; asked on the thread that serves all connections.
    ///
    /// - Throws: the refusal that every request of a caller that cannot be identified is answered with.
    func identify(_ peer: UnixSocket) throws(Refusal) -> Identification

    /// Finds out what a program file would be given, if the caller executed it. May block.
    ///
    /// - Parameter deliver: gets that, or the refusal that the program would get; `errSecParam` for what is no file.
    func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void)
}

extension RequestReader {
    package func endIfOutdated() {}
    package func endTransaction() {}
    package var isInTheWay: Bool { false }

    package func read(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter, goingOnAt place: SearchPlace?, endingTurnWhen isDue: @escaping () -> Bool
    ) -> SearchPlace? {
        read(request, from: caller, id: id, by: deadline, into: writer)
        return nil
    }

    package func lookUp(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        within microseconds: Int,
        into writer: ResponseWriter
    ) -> Bool {
        read(request, from: caller, id: id, by: deadline, into: writer)
        return true
    }
}

extension RequestHandler {
    /// A keychain of no circle has no news of it.
    package var circleEpoch: StateEpoch { StateEpoch() }

    /// A keychain without items has no changes of them.
    package var groupEpoch: StateEpoch { StateEpoch() }

    package func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber] {
        throw Refusal(
            .unimplemented, .notImplemented, "changes", "Nobody here notes changes of items.", do: "Ask a daemon.")
    }

    package func arrived(_ caller: CallerIdentity) {}
    package func checkpointIfDue() {}

    /// Performs writes as one commit; the answers are in their order.
    func commit(_ jobs: [WriteJob]) -> [SecretBytes] {
        let writes = jobs.map { Write($0.request, from: $0.caller, id: $0.id, by: $0.deadline) }
        write(writes)
        return writes.map { $0.writer.buffer.copy() }
    }
}
