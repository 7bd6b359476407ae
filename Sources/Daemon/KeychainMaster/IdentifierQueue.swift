import Glibc
import KeychainWire
import LinuxSystem

/// Where the master gets the daemons' channels to the identifier from. When that has ended it connects to the next one,
/// and all daemons get new channels.
///
/// Belongs to the master's thread.
final class IdentifierQueue {
    private let path: String
    private let epoll: Epoll
    private let token: UInt64
    private let log: (String) -> Void
    private var connection: UnixSocket?
    private var backoff = Backoff()
    /// Whether the log has it that nobody can be identified, which it says once.
    private var isTold = false
    /// When to connect again, or to give a channel to daemons that have none.
    private(set) var deadline = Deadline.now

    /// How long the identifier's socket may take to be connected to: milliseconds.
    private static let longestConnect = 1000
    /// How long to wait before a channel is handed over that could not be, or that follows one that has ended:
    /// milliseconds.
    private static let pause = 100

    /// - Parameter path: where the identifier listens.
    init(_ path: String, watchedBy epoll: Epoll, token: UInt64, log: @escaping (String) -> Void) {
        (self.path, self.epoll, self.token, self.log) = (path, epoll, token, log)
    }

    /// Connects when it is time to; whether daemons that have no channel have to be given one now.
    func isDue() -> Bool {
        guard deadline.hasPassed else { return false }
        deadline = .never
        guard connection == nil else { return true }
        do throws(SystemError) {
            let new = try UnixSocket.connect(to: path, deadline: .after(milliseconds: Self.longestConnect))
            try epoll.add(new.descriptor, for: .readable, token: token)
            (connection, isTold) = (new, false)
            backoff.begin()
            return true
        } catch {
            deadline = backoff.end()
            if !isTold { log("callers cannot be identified for now: \(error)") }
            isTold = true
            return false
        }
    }

    /// A daemon's end of a new channel; nil while there is no identifier, or none can be handed over: then it is due
    /// again soon.
    func channel(of owner: KeychainOwner) -> UnixSocket? {
        guard let connection else { return nil }
        do throws(SystemError) {
            let (daemons, identifiers) = try UnixSocket.packetPair()
            try IdentifierHandover.send(identifiers, of: owner, through: connection)
            return daemons
        } catch {
            // It does not listen now, has gone, which is seen soon, or there are too many open files.
            tryAgain()
            return nil
        }
    }

    /// A daemon has no channel, and gets one soon.
    func tryAgain() { if connection != nil { deadline = min(deadline, .after(milliseconds: Self.pause)) } }

    /// The identifier says nothing: it has gone.
    func lose() {
        guard let connection else { return }
        try? epoll.remove(connection.descriptor)
        self.connection = nil
        deadline = backoff.end()
        log("the process that identifies callers has ended")
    }
}
