import Glibc

extension UnixSocket {
    /// Listens at a path with a socket that does not block.
    ///
    /// A socket file left by a process that has died is replaced; one that still answers is not, and neither is any
    /// other kind of file. Whoever starts at the same time is kept out by a lock on `path` + ".lock".
    ///
    /// - Parameters:
    ///   - mode: who may connect: writing permission is needed. The file never has more than this, not even for a moment.
    ///   - backlog: how many may wait to be accepted.
    ///   - deadline: how long to wait for the lock.
    /// - Throws: `SystemError` of `bind`: `EADDRINUSE` when somebody listens there, `ENAMETOOLONG`; of `open` or
    ///   `flock` for the lock.
    package static func listen(
        at path: String, mode: UInt32 = 0o600, backlog: CInt = 512, deadline: Deadline = .after(milliseconds: 5000)
    ) throws(SystemError) -> UnixSocket {
        let address = try UnixAddress(path: path)
        let lock = try FileLock(path + ".lock", .exclusive, deadline: deadline)
        defer { lock.release() }
        try removeStaleSocket(at: path)
        let socket = try UnixSocket.unconnected()
        // The file that bind makes takes its permissions from the socket, so there is no moment with wider ones.
        _ = try retrying("fchmod") { fchmod(socket.descriptor.number, mode) }
        _ = try retrying("bind") { unsafe address.withPointer { unsafe Glibc.bind(socket.descriptor.number, $0, $1) } }
        // The umask may have taken permissions away that were asked for.
        _ = try retrying("chmod") { unsafe chmod(path, mode) }
        // Connections have it from their listener, so that no first message comes too soon for it.
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
            // Whatever else happened, somebody may be there: a full queue, for example.
        }
        throw SystemError(
            code: EADDRINUSE, call: "bind",
            advice: "another process listens at \(path): stop it or choose another path")
    }
}
