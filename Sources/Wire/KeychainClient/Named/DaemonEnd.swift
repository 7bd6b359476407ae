import Glibc
import LinuxSystem

/// The end of a daemon that notices by itself that its socket has gone (it watches the file).
struct DaemonEnd {
    private let connection: UnixSocket
    private let process: FileDescriptor?

    /// How long it may take to finish what it does: milliseconds.
    private static let patience = 10_000

    /// Nil when nobody listens.
    init?(at socket: String) {
        guard let connection = try? UnixSocket.connect(to: socket, deadline: .after(milliseconds: 1000)) else {
            return nil
        }
        self.connection = connection
        process = (try? PeerCredentials(of: connection))?.processDescriptor
    }

    /// Waits until the daemon has ended, so that it writes no more.
    func wait() {
        try? (process ?? connection.descriptor).wait(for: .readable, deadline: .after(milliseconds: Self.patience))
    }
}
