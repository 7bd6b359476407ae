import Glibc
import KeychainWire
import LinuxSystem

/// The daemon of one keychain, as its master sees it.
final class UserDaemon {
    let owner: KeychainOwner
    let token: UInt64
    let process: ChildProcess
    /// Readable when the process has ended.
    let end: FileDescriptor
    /// Nil once it was dismissed: then it finishes its connections, and new ones wait for the next daemon.
    private(set) var channel: HandoverSender?
    /// Its channel to the identifier, of which the master reads nothing: it hangs up when either side has ended it.
    private(set) var identifier: UnixSocket?
    /// Whether the daemon has got that.
    private var hasIdentifier = false
    /// Connections that it has not been handed yet: it has let so many wait, or it is the next one's.
    private(set) var waiting = ArrivalQueue()
    /// Whether it is watched for room in its channel.
    var isWatchedForRoom = false
    /// When a process that was dismissed, or has given no sign of life, is ended by force.
    private(set) var deadline = Deadline.after(milliseconds: longestSilence)
    /// Whether it has given no sign of life for too long.
    var isSilent: Bool { channel != nil && deadline.hasPassed }

    /// A connection and what it is for.
    struct Arrival {
        let connection: UnixSocket
        let kind: ConnectionHandoff.Kind
        /// The user that has connected.
        let user: UInt32
    }

    /// How long a daemon may take to finish, milliseconds: longer than it gives its slowest client.
    private static let longestFarewell = 15_000
    /// A daemon that has given no sign of life for so long has stopped: milliseconds. It gives one every two seconds.
    private static let longestSilence = 16_000

    /// Starts the daemon.
    init(
        _ owner: KeychainOwner, token: UInt64, start: Master.Starter
    ) throws(SystemError) {
        (self.owner, self.token) = (owner, token)
        let (ours, theirs) = try UnixSocket.pair()
        process = try start(owner, theirs)
        do throws(SystemError) {
            end = try process.endDescriptor()
            channel = try HandoverSender(ours)
        } catch {
            process.reap(timeout: 0)
            throw error
        }
    }

    /// Gives the daemon a connection, now or when it has taken others; or gives it to the next daemon, if this one was
    /// dismissed.
    ///
    /// - Returns: the connection that has to go for it, if too many wait.
    func take(_ arrival: Arrival) -> Arrival? {
        defer { handOn() }
        return waiting.put(arrival)
    }

    /// Gives the daemon a channel to the identifier, now or before the next connection.
    func use(identifier new: UnixSocket) {
        (identifier, hasIdentifier) = (new, false)
        handOn()
    }

    /// Whether something waits for room in the channel.
    var needsRoom: Bool { channel != nil && (!waiting.isEmpty || identifier != nil && !hasIdentifier) }

    /// Hands over what waits, as far as the channel has room.
    func handOn() {
        do throws(SystemError) {
            try introduce()
            while let channel, let arrival = waiting.next {
                try channel.hand(arrival.connection, as: arrival.kind)
                _ = waiting.take()
            }
        } catch {
            if error.code != ETIMEDOUT { letGo() }
        }
    }

    /// Its channel to the identifier has ended: it needs another.
    func loseIdentifier() { identifier = nil }

    private func introduce() throws(SystemError) {
        guard let channel, let identifier, !hasIdentifier else { return }
        try channel.hand(identifier, as: .identifier)
        hasIdentifier = true
    }

    /// Reads an offer; whether the daemon was dismissed.
    func readOffer() -> Bool {
        guard let channel else { return false }
        deadline = .after(milliseconds: Self.longestSilence)
        guard channel.mayLetGo() else { return false }
        letGo()
        return true
    }

    /// Has the daemon finish what it has and end.
    func letGo() {
        guard channel != nil else { return }
        channel = nil
        deadline = .after(milliseconds: Self.longestFarewell)
    }

    /// The connections for the next daemon, now that this one has ended.
    func takeWaiting() -> ArrivalQueue {
        defer { waiting = ArrivalQueue() }
        return waiting
    }
}
