/// Where a server's connections come from: a listening socket, or somebody who accepts them on its behalf.
package protocol ConnectionSource: Sendable {
    /// Readable when there may be a connection.
    var descriptor: FileDescriptor { get }

    /// Takes the next connection, which does not block; nil when there is none.
    ///
    /// - Throws: `SystemError`: `EPIPE` when no more will come; too many open files.
    func accept() throws(SystemError) -> UnixSocket?
}

extension UnixSocket: ConnectionSource {}
