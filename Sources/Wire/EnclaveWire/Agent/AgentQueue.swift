import Glibc
import KeychainWire
package import LinuxSystem

/// Where an enclave of the system service gets its agents from, because it starts no program once it has closed itself
/// in: from the listener that has started it.
///
///     wanted = 1:u8 user:u32   ; from the enclave: it has no agent, or gives the last one up; the user whose sessions
///                              ; the agent watches, or 2³² − 1 for nobody's
///     given  = 1:u8            ; from the listener, with the socket to a new one
///            | 0:u8            ; there is none to be had
package struct AgentQueue: Sendable {
    private let socket: UnixSocket
    /// The user whose sessions its agents watch; nil for nobody's.
    private let user: UInt32?

    /// - Parameter user: whose sessions its agents watch; nil for nobody's. The listener hears it from the enclave.
    package init(_ socket: UnixSocket, user: UInt32? = nil) { (self.socket, self.user) = (socket, user) }

    /// The same queue, with agents that watch the sessions of a user.
    package func watching(_ user: UInt32?) -> AgentQueue { AgentQueue(socket, user: user) }

    /// A wish for an agent.
    package struct Wish: Equatable, Sendable {
        package let user: UInt32?
    }

    private static let nobody = UInt32.max
    private static let wishBytes = 5

    /// The enclave's end: the socket to a new agent, as soon as there is one; nil when there is none to be had.
    package func next() -> UnixSocket? {
        var answer: [UInt8] = [0]
        var span = answer.mutableSpan
        do throws(SystemError) {
            let number = user ?? Self.nobody
            let wish = [1] + [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
            try socket.sendFully(wish.span, deadline: .now)
            try socket.descriptor.wait(for: .readable, deadline: .never)
            return try socket.receiveAttached(into: &span)?.descriptors.first.map { UnixSocket($0) }
        } catch { return nil }
    }

    /// The listener's end: the wish for an agent; nil where none has come.
    ///
    /// - Throws: `SystemError`: `EPIPE` when the enclave has gone, `EPROTO` when it says something else.
    package func wish() throws(SystemError) -> Wish? {
        var word = [UInt8](repeating: 0, count: 16)
        var span = word.mutableSpan
        guard let arrival = try socket.receiveAttached(into: &span) else { return nil }
        if arrival.count == 0 { throw SystemError(code: EPIPE, call: "recvmsg", advice: "the enclave has gone") }
        // Of wishes that have come together the first counts: all are the same enclave's.
        guard arrival.count >= Self.wishBytes, word[0] == 1 else { throw SystemError(code: EPROTO, call: "recvmsg") }
        let user = word.span.littleEndian(UInt32.self, at: 1)
        return Wish(user: user == Self.nobody ? nil : user)
    }

    /// The listener's end: gives the socket to an agent, or says that there is none.
    ///
    /// - Throws: `SystemError` of `sendmsg`.
    package func give(_ agent: UnixSocket?) throws(SystemError) {
        try socket.sendFully(
            [agent == nil ? 0 : 1].span, attaching: agent.map { [$0.descriptor] } ?? [], deadline: .now)
    }

    /// As ``give(_:)``. An enclave whose agent cannot be sent hears that there is none, and does not wait.
    ///
    /// - Throws: `SystemError` of `sendmsg`: `EPIPE` when the enclave has gone; `ETOOMANYREFS` when too many
    ///   descriptors are on their way.
    package func giveOrDeny(_ agent: UnixSocket?) throws(SystemError) {
        do throws(SystemError) { try give(agent) } catch {
            try give(nil)
            throw error
        }
    }
}
