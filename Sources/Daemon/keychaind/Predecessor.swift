import KeychainClient
import LinuxSystem

/// The daemon that listens where this one would.
///
/// One that has stopped for good (a signal, a debugger, a thread that waits for ever) keeps the socket and the store.
/// One that is young may still open its store.
/// It is ended and replaced: nothing acknowledged is lost by that, and nobody has to know its number. Programs never
/// end a daemon; one that got no answer starts another, which comes here.
struct Predecessor {
    private let connection: UnixSocket
    /// The process that has the lock of the store; nil where that is not known.
    private let holder: Int32?

    /// How long it may take to answer a question that it answers at once: milliseconds. Ten times what the slowest took
    /// next to 27 processes that load two processors.
    private static let timeout: UInt32 = 10_000
    /// How long its end may take: milliseconds.
    private static let longestEnd = 5000
    /// How long a daemon may take to open its store, which a new release may have to go through.
    private static let longestStart: UInt64 = 120_000

    /// Nil when nobody listens at the path.
    ///
    /// - Parameter holder: the process that has the lock of the store: a service manager may listen for it.
    init?(at path: String, _ holder: Int32? = nil) {
        guard let connection = try? UnixSocket.connect(to: path, deadline: .after(milliseconds: 1000)) else {
            return nil
        }
        (self.connection, self.holder) = (connection, holder)
    }

    /// Makes room for this process where the predecessor has stopped.
    ///
    /// - Returns: false when it serves, or is not known to be a daemon of this user.
    func giveWay() -> Bool {
        guard !DaemonProbe.answers(connection, within: Self.timeout), let process = daemon, hasStopped(process) else {
            return false
        }
        return (try? process.kill(by: .after(milliseconds: Self.longestEnd))) != nil
    }

    /// Nil when it is another user's, or a process outside of this namespace; nil too where a daemon listens that is
    /// not the store's: what it leaves unanswered says nothing of the one that has the store.
    private var daemon: RunningProcess? {
        guard let peer = try? PeerNumbers(of: connection), peer.user == CurrentProcess.user else { return nil }
        guard let holder, holder != peer.process else { return Self.daemon(peer.process) }
        // A service manager listens for the holder.
        return peer.process > 0 && Self.daemon(peer.process) == nil ? Self.daemon(holder) : nil
    }

    private func hasStopped(_ process: RunningProcess) -> Bool {
        (try? process.isStopped()) == true || (try? process.isOlder(thanMilliseconds: Self.longestStart)) == true
    }

    /// Ends a daemon that has a store and has stopped before it listened. One that goes on may serve others: its socket
    /// is not seen from every mount namespace.
    ///
    /// - Returns: false when the process is no daemon of this user's, or goes on.
    /// - Throws: `SystemError` of `kill` or `read`.
    static func endStopped(_ holder: Int32?) throws(SystemError) -> Bool {
        guard let process = holder.flatMap(daemon), try process.isStopped() else { return false }
        try process.kill(by: .after(milliseconds: longestEnd))
        return true
    }

    /// A process of this program.
    private static func daemon(_ number: Int32) -> RunningProcess? {
        guard number > 0, number != CurrentProcess.identifier, let process = try? RunningProcess(number),
            process.name == (try? RunningProcess(CurrentProcess.identifier))?.name
        else { return nil }
        return process
    }
}
