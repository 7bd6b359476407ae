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

/// A source of connections, watched by one thread that notes when nobody was waiting: what it takes afterwards was made after
/// that (``UnixSocket/madeAfter``).
package struct WatchedSource {
    package let source: any ConnectionSource
    private var wasEmpty: UInt64?

    package init(_ source: any ConnectionSource) { self.source = source }

    /// As ``ConnectionSource/accept()``.
    package mutating func accept() throws(SystemError) -> UnixSocket? {
        // In this order: the queue was empty later than this.
        let now = Clock.monotonicNanoseconds
        guard var socket = try source.accept() else {
            if source.isWhereTheyAreMade { wasEmpty = now }
            return nil
        }
        socket.madeAfter = wasEmpty
        return socket
    }
}
