import Glibc

extension UnixSocket {
    /// Listens at a path with a non-blocking socket.
    ///
    /// It replaces the socket file of a dead process, but not one that still answers, nor any other kind of file. A
    /// lock on `path` + ".lock" excludes processes that start at the same time.
    ///
    /// - Parameters:
    ///   - mode: the permissions; connecting needs write permission. The file never has wider ones, not even for a
    ///     moment.
    ///   - backlog: the maximum number of connections that wait to be accepted.
    ///   - deadline: how long to wait for the lock.
    /// - Throws: `SystemError` of `bind`: `EADDRINUSE` when another process listens there, `ENAMETOOLONG`; of `open` or
    ///   `flock` for the lock.
    package static func listen(
        at path: String, mode: UInt32 = 0o600, backlog: CInt = 512, deadline: Deadline = .after(milliseconds: 5000)
    ) throws(SystemError) -> UnixSocket {
        let address = try UnixAddress(path: path)
        let lock = try FileLock(path + ".lock", .exclusive, deadline: deadline)
        defer { lock.release() }
        try removeStaleSocket(at: path)
        let socket = try UnixSocket.unconnected()
        // The file that bind creates has the permissions of the socket, so it never has wider ones.
        _ = try retrying("fchmod") { fchmod(socket.descriptor.number, mode) }
        _ = try retrying("bind") { unsafe address.withPointer { unsafe Glibc.bind(socket.descriptor.number, $0, $1) } }
        // The umask may have removed requested permissions.
        _ = try retrying("chmod") { unsafe chmod(path, mode) }
        // Connections inherit the option from their listener, so that it applies to the first message too.
        try socket.askForSenders()
        _ = try retrying("listen") { Glibc.listen(socket.descriptor.number, backlog) }
        try socket.descriptor.setNonBlocking()
        return socket
    }

    private static func removeStaleSocket(at path: String) throws(SystemError) {
        guard let status = try FileStatus(ofLink: path) else { return }
        guard status.isSocket else {
            throw SystemError(
                code: EADDRINUSE, call: "bind",
                advice: "\(path) exists and is not a socket: move it away or choose another path")
        }
        do {
            _ = try connect(to: path, deadline: .after(milliseconds: 1000))
        } catch  where error.code == ECONNREFUSED {
            _ = try retrying("unlink") { unsafe unlink(path) }
            return
        } catch  where error.code == ENOENT {
            return
        } catch {
            // After any other error a process may be listening: the queue may be full, for example.
        }
        throw SystemError(
            code: EADDRINUSE, call: "bind",
            advice: "another process listens at \(path): stop it or choose another path")
    }
}
