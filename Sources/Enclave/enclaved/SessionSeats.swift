import EnclaveWire
import LinuxSystem

/// The place of a session agent at an enclave, as the listener sees it: whether one is wanted, and the channel that was
/// made for the present one.
final class SessionSeats {
    /// Readable when the enclave wants a session agent.
    var requests: FileDescriptor { socket.descriptor }
    private let socket: UnixSocket
    private let queue: AgentQueue
    /// The user of the vault, once the enclave has wanted this user's agents.
    private(set) var user: UInt32?
    private var isWanted = false
    /// The enclave's end of the channel to the present agent, to end it. Nobody reads here.
    private var channel: UnixSocket?
    private var backoff = Backoff()
    /// When the next agent is given: agents that end at once do not keep the machine busy. Never while none has
    /// registered.
    private(set) var due = Deadline.never

    private init(_ socket: UnixSocket) { (self.socket, queue) = (socket, AgentQueue(socket)) }

    /// - Returns: the place, and the enclave's end of the socket for wishes.
    /// - Throws: `SystemError` of `socketpair`: too many open files.
    static func make() throws(SystemError) -> (SessionSeats, UnixSocket) {
        let (ours, theirs) = try UnixSocket.pair()
        return (SessionSeats(ours), theirs)
    }

    /// Reads the enclave's wishes; false when no more will come.
    ///
    /// - Parameter owner: the user of the vault; nil for none. A wish for anybody else's agents is refused.
    func hear(of owner: UInt32?) -> Bool {
        do throws(SystemError) {
            guard let wish = try queue.wish() else { return true }
            guard let owner, wish.user == owner else { return false }
            user = owner
            drop()
            (isWanted, due) = (true, backoff.end())
            return true
        } catch { return false }
    }

    /// Gives the enclave a channel to the agent, if it wants one now.
    ///
    /// - Parameter agent: nil where none has registered.
    /// - Returns: false when the agent takes no channel.
    func look(_ agent: AgentRegistration?) -> Bool {
        guard due.hasPassed else { return true }
        due = .never
        guard isWanted, let agent else { return true }
        guard let (ours, theirs) = try? UnixSocket.pair() else { return tryLater() }
        do throws(SystemError) { try agent.give(theirs) } catch { return false }
        guard (try? queue.give(ours)) != nil else { return tryLater() }
        backoff.begin()
        (isWanted, channel) = (false, ours)
        return true
    }

    /// Too many files are open, or on their way. The end of an enclave is seen elsewhere.
    private func tryLater() -> Bool {
        due = backoff.end()
        return true
    }

    /// Another agent has registered.
    func renew() {
        drop()
        if isWanted { due = .now }
    }

    /// Ends the channel to the present agent. The enclave asks for the next one.
    func drop() {
        channel?.shutDown()
        channel = nil
    }

    /// The enclave has ended.
    func end() {
        drop()
        (isWanted, due) = (false, .never)
    }
}
