import Glibc
package import KeychainWire
package import LinuxSystem

/// The first thing the master of the system service says on a connection to the enclave's listener, before it hands
/// that to the daemon of a keychain: whose vault is needed.
///
///     summons = "KES1" owner:u32 flags:u32
///
/// `owner` is a user's number, or 2³² − 1 for the system. `flags` bit 0: there is no store yet, so a vault may be made.
/// All other bits are zero. After this message the connection is the enclave's channel.
package struct EnclaveStartRequest: Equatable, Sendable {
    package let owner: KeychainOwner
    /// Whether a vault may be made where there is none: only when there is no store either.
    package let createIfMissing: Bool

    private static let mark = Array("KES1".utf8)
    private static let size = 12

    package init(owner: KeychainOwner, createIfMissing: Bool) {
        (self.owner, self.createIfMissing) = (owner, createIfMissing)
    }

    /// Sends it.
    ///
    /// - Throws: `SystemError` of `send`; `ETIMEDOUT` when the deadline passed first.
    package func send(through socket: UnixSocket, deadline: Deadline) throws(SystemError) {
        var bytes = Self.mark
        for number in [owner.number, createIfMissing ? 1 : 0] {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
        }
        try socket.sendFully(bytes.span, deadline: deadline)
    }

    /// Receives one.
    ///
    /// - Throws: `SystemError`: `EPROTO` when something else came, `ETIMEDOUT` when the deadline passed first; that of
    ///   `recv`.
    package static func receive(from socket: UnixSocket, deadline: Deadline) throws(SystemError) -> EnclaveStartRequest
    {
        var bytes = [UInt8](repeating: 0, count: size)
        var span = bytes.mutableSpan
        let count = try socket.receiveFully(into: &span, deadline: deadline)
        let flags = bytes.span.littleEndian(UInt32.self, at: 8)
        guard count == size, Array(bytes.prefix(4)) == mark, flags <= 1 else {
            throw SystemError(code: EPROTO, call: "recv", advice: "no master of this release at the other end")
        }
        let owner = KeychainOwner(number: bytes.span.littleEndian(UInt32.self, at: 4))
        return EnclaveStartRequest(owner: owner, createIfMissing: flags == 1)
    }
}
