import Glibc

/// Takes ownership of the sockets on which a service manager listens for this process (sd_listen_fds(3)).
package enum SocketActivation {
    private static let firstDescriptor: CInt = 3
    // The units of this project have few sockets; a larger number is a mistake.
    private static let mostSockets: CInt = 64

    /// The listening sockets passed to this process, made non-blocking and closed on exec. The list is empty when no
    /// service manager started the process. The variables are removed, so that children do not use them.
    ///
    /// - Throws: `SystemError` with `EINVAL` when a number makes no sense or a descriptor is not a listening unix
    ///   socket.
    package static func sockets() throws(SystemError) -> [UnixSocket] { try sockets(from: firstDescriptor) }

    static func sockets(from first: CInt) throws(SystemError) -> [UnixSocket] {
        defer { for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsafe unsetenv(name) } }
        guard let process = value("LISTEN_PID"), let amount = value("LISTEN_FDS"), Int32(process) == getpid() else {
            return []
        }
        guard let count = CInt(amount), (0...mostSockets).contains(count) else {
            throw SystemError(
                code: EINVAL, call: "sd_listen_fds", advice: "LISTEN_FDS is not a number from 0 to \(mostSockets)")
        }
        var sockets: [UnixSocket] = []
        for number in first..<first + count { sockets.append(try adopt(number)) }
        return sockets
    }

    private static func adopt(_ number: CInt) throws(SystemError) -> UnixSocket {
        guard option(SO_DOMAIN, of: number) == AF_UNIX, option(SO_ACCEPTCONN, of: number) == 1 else {
            throw SystemError(
                code: EINVAL, call: "sd_listen_fds",
                advice:
                    "descriptor \(number) is not a listening unix socket: "
                    + "use ListenStream= with a path in the socket unit"
            )
        }
        let descriptor = FileDescriptor(owning: number)
        _ = try retrying("fcntl") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        try descriptor.setNonBlocking()
        let socket = UnixSocket(descriptor)
        try socket.askForSenders()
        return socket
    }

    private static func option(_ name: CInt, of number: CInt) -> CInt? {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func value(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}

// MARK: - Descriptors on the command line

/// A descriptor that this program inherited, given by its number on the command line.
extension FileDescriptor {
    /// Takes ownership of it and closes it on exec.
    ///
    /// - Parameter text: the number. The result is nil for a text that is not a number, for the standard streams, and
    ///   where nothing is open.
    package convenience init?(inherited text: String?) {
        guard let number = text.flatMap(CInt.init), number > STDERR_FILENO, fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        self.init(owning: number)
    }
}

extension UnixSocket {
    /// Takes ownership of a socket, as `FileDescriptor(inherited:)` does; nil also for a descriptor that is not a
    /// socket.
    package init?(inherited text: String?) {
        guard let descriptor = FileDescriptor(inherited: text), (try? FileStatus(of: descriptor))?.isSocket == true
        else { return nil }
        self.init(descriptor)
    }
}
