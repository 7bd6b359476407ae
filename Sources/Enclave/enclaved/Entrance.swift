import LinuxSystem

/// A socket that connections come to.
///
/// A connection that cannot be accepted, because too many files are open, goes on waiting there. So after a failure
/// nobody looks at the socket for a moment: it would be readable without an end, and each look would be a line in the
/// log.
final class Entrance {
    private let socket: UnixSocket
    private let epoll: Epoll
    private let token: UInt64
    private var backoff = Backoff()
    /// When it is looked at again; never while it is.
    private(set) var due = Deadline.never

    /// - Throws: `SystemError` of `epoll_ctl`.
    init(_ socket: UnixSocket, _ epoll: Epoll, token: UInt64) throws(SystemError) {
        (self.socket, self.epoll, self.token) = (socket, epoll, token)
        try epoll.add(socket.descriptor, for: .readable, token: token)
    }

    /// Accepts the next connection; nil when there is none.
    ///
    /// - Throws: `SystemError` of `accept4`; the next look is later.
    func accept() throws(SystemError) -> UnixSocket? {
        do throws(SystemError) { return try socket.accept() } catch {
            due = backoff.end()
            try epoll.modify(socket.descriptor, for: [], token: token)
            throw error
        }
    }

    /// Looks at it again when that is due.
    ///
    /// - Throws: `SystemError` of `epoll_ctl`; the next look is later.
    func look() throws(SystemError) {
        guard due.hasPassed else { return }
        due = backoff.end()
        try epoll.modify(socket.descriptor, for: .readable, token: token)
        backoff.begin()
        due = .never
    }
}
