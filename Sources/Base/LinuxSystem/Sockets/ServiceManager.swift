import Glibc

/// Notifies systemd about this process (sd_notify(3)).
package struct ServiceManager: Sendable {
    private let socket: FileDescriptor

    /// Nil without systemd, or when it does not want notifications.
    package init?() {
        guard let path = unsafe getenv("NOTIFY_SOCKET").map({ unsafe String(cString: $0) }), path.hasPrefix("/") else {
            return nil
        }
        let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard let address = try? UnixAddress(path: path),
            let number = try? retrying("socket", { Glibc.socket(AF_UNIX, type, 0) })
        else { return nil }
        socket = FileDescriptor(owning: number)
        let descriptor = socket.number
        guard unsafe address.withPointer({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else { return nil }
    }

    /// Sends a notification; a failed one is lost.
    package func tell(_ word: String) {
        var word = word
        _ = word.withUTF8 { unsafe Glibc.send(socket.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
    }
}
