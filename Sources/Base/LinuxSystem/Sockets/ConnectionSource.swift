/// The source of a server's connections: a listening socket, or another process that accepts connections for it.
package protocol ConnectionSource: Sendable {
    /// Readable when there may be a connection.
    var descriptor: FileDescriptor { get }
    /// Whether connections are made at this source. If so, a connection accepted after the source was empty was also
    /// made after that.
    var isWhereTheyAreMade: Bool { get }

    /// Accepts the next connection, which is non-blocking; nil when there is none.
    ///
    /// - Throws: `SystemError`: `EPIPE` when no more will come; too many open files.
    func accept() throws(SystemError) -> UnixSocket?
}

extension ConnectionSource {
    package var isWhereTheyAreMade: Bool { false }
}

extension UnixSocket: ConnectionSource {
    package var isWhereTheyAreMade: Bool { true }
}

/// A source of connections that one thread watches. The thread records when the source was empty: later connections
/// were made after that (``UnixSocket/madeAfter``).
///
/// The record costs nothing, because the thread polls the source anyway. A listening socket is ready before `connect`
/// returns. A connection made before a poll that found the socket empty was therefore accepted earlier, or its maker is
/// still in `connect`. In both cases no other process can have its number.
package struct WatchedSource {
    package let source: any ConnectionSource
    private let needsSenders: Bool
    private var wasEmpty: UInt64?
    private var wasReady = false

    /// - Parameter needsSenders: whether to accept only connections whose senders the kernel reports. Another one is
    ///   closed unread: its maker learns that nothing was performed, and connects again.
    package init(_ source: any ConnectionSource, needsSenders: Bool = true) {
        (self.source, self.needsSenders) = (source, needsSenders)
    }

    /// As ``ConnectionSource/accept()``, for a source that was ready.
    package mutating func accept() throws(SystemError) -> UnixSocket? {
        wasReady = true
        guard var socket = try source.accept(), !needsSenders || socket.asksForSenders else { return nil }
        if source.isWhereTheyAreMade { socket.madeAfter = wasEmpty }
        return socket
    }

    /// Records a poll that would have found the source ready, after which every waiting connection would have been
    /// accepted.
    ///
    /// - Parameter start: its start, in nanoseconds of the monotonic clock.
    package mutating func looked(from start: UInt64) {
        if !wasReady { wasEmpty = start }
        wasReady = false
    }
}
