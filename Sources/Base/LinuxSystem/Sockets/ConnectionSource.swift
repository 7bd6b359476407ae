/// Where a server's connections come from: a listening socket, or somebody who accepts them on its behalf.
package protocol ConnectionSource: Sendable {
    /// Readable when there may be a connection.
    var descriptor: FileDescriptor { get }
    /// Whether connections are made here: when there is none, whoever is taken later connects later, too.
    var isWhereTheyAreMade: Bool { get }

    /// Takes the next connection, which does not block; nil when there is none.
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

/// A source of connections, watched by one thread that notes when nobody was waiting: what it takes afterwards was made
/// after that (``UnixSocket/madeAfter``).
///
/// That costs nothing, for the thread looks what is ready anyway. A listening socket is called ready at the end of
/// `connect`, which its maker does not leave before: who connected earlier than a look that did not find the socket
/// ready was taken earlier, or is still at it, so that nobody else can have its number.
package struct WatchedSource {
    package let source: any ConnectionSource
    private let needsSenders: Bool
    private var wasEmpty: UInt64?
    private var wasReady = false

    /// - Parameter needsSenders: whether only connections are taken of which the kernel says who sends. Another one is
    ///   closed unread: its maker learns that nothing was performed, and connects again.
    package init(_ source: any ConnectionSource, needsSenders: Bool = true) {
        (self.source, self.needsSenders) = (source, needsSenders)
    }

    /// As ``ConnectionSource/accept()``, of a source that was found ready.
    package mutating func accept() throws(SystemError) -> UnixSocket? {
        wasReady = true
        guard var socket = try source.accept(), !needsSenders || socket.asksForSenders else { return nil }
        if source.isWhereTheyAreMade { socket.madeAfter = wasEmpty }
        return socket
    }

    /// A look is over that would have found the source ready, and then somebody would have been taken.
    ///
    /// - Parameter start: when it began, in nanoseconds of the monotonic clock.
    package mutating func looked(from start: UInt64) {
        if !wasReady { wasEmpty = start }
        wasReady = false
    }
}
