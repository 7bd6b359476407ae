import Glibc
package import LinuxSystem

/// The messages from the master of the system service to the process that identifies callers. Each names the owner of a
/// daemon's keychain and carries the identifier's end of that daemon's channel.
///
///     handed = owner:u32            ; a user's number, or 2³² − 1 for the system
///
/// Nothing is said in the other direction. The end of the connection is that of one of them.
package enum IdentifierHandover {
    private static let size = 4

    /// Hands a channel over.
    ///
    /// - Throws: `SystemError` of `sendmsg`; `ETIMEDOUT` when the identifier has too many waiting.
    package static func send(
        _ channel: UnixSocket, of owner: KeychainOwner, through connection: UnixSocket
    ) throws(SystemError) {
        let bytes = (0..<UInt32(size)).map { UInt8(truncatingIfNeeded: owner.number >> (8 * $0)) }
        try connection.sendFully(bytes.span, attaching: [channel.descriptor], deadline: .now)
    }

    /// Takes a channel; nil when there is none yet.
    ///
    /// - Throws: `SystemError`: `EPIPE` when the master has gone, `EPROTO` when something else came.
    package static func receive(
        from connection: UnixSocket
    ) throws(SystemError) -> (owner: KeychainOwner, channel: UnixSocket)? {
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        guard let arrival = try connection.receiveAttached(into: &span) else { return nil }
        if arrival.count == 0 { throw SystemError(code: EPIPE, call: "recvmsg", advice: "the master has gone") }
        guard arrival.count == size, arrival.descriptors.count == 1 else {
            throw SystemError(code: EPROTO, call: "recvmsg", advice: "no master of this release at the other end")
        }
        let owner = KeychainOwner(number: bytes.span.littleEndian(UInt32.self, at: 0))
        return (owner, UnixSocket(arrival.descriptors[0]))
    }
}
