import KeychainClient
import LinuxSystem

/// The daemon that listens where this one would.
///
/// One that has stopped for good (a signal, a debugger, a thread that waits for ever) keeps the socket and the store.
/// It is ended and replaced: nothing acknowledged is lost by that, and nobody has to know its number. Programs never
/// end a daemon; one that got no answer starts another, which comes here.
struct Predecessor {
    private let connection: UnixSocket

    /// How long it may take to answer a question that it answers at once: milliseconds. Ten times what the slowest took
    /// next to 27 processes that load two processors.
    private static let timeout: UInt32 = 10_000
    /// How long its end may take: milliseconds.
    private static let longestEnd = 5000

    /// Nil when nobody listens at the path.
    init?(at path: String) {
        guard let connection = try? UnixSocket.connect(to: path, deadline: .after(milliseconds: 1000)) else {
            return nil
        }
        self.connection = connection
    }

    /// Makes room for this process where the predecessor has stopped.
    ///
    /// - Returns: false when it serves, or is not known to be a daemon of this user.
    func giveWay() -> Bool {
        guard !DaemonProbe.answers(connection, within: Self.timeout), let process = daemon else { return false }
        return (try? process.kill(by: .after(milliseconds: Self.longestEnd))) != nil
    }

    /// Nil when a service manager listens, or another user, or a process outside this namespace.
    private var daemon: RunningProcess? {
        guard let peer = try? PeerNumbers(of: connection), peer.user == CurrentProcess.user, peer.process > 0,
            let process = try? RunningProcess(peer.process), process.name == "keychaind"
        else { return nil }
        return process
    }
}
