import Glibc
import KeychainWire
package import LinuxSystem

/// Where an enclave of the system service gets its agents from, because it starts no program once it has closed itself
/// in: from the listener that has started it.
///
///     wanted = 1:u8            ; from the enclave: it has no agent, or gives the last one up
///     given  = 1:u8            ; from the listener, with the socket to a new one
///            | 0:u8            ; there is none to be had
package struct AgentQueue: Sendable {
    private let socket: UnixSocket

    package init(_ socket: UnixSocket) { self.socket = socket }

    /// The enclave's end: the socket to a new agent, as soon as there is one; nil when there is none to be had.
    package func next() -> UnixSocket? {
        var answer: [UInt8] = [0]
        var span = answer.mutableSpan
        do throws(SystemError) {
            try socket.sendFully([1].span, deadline: .now)
            try socket.descriptor.wait(for: .readable, deadline: .never)
            return try socket.receiveAttached(into: &span)?.descriptors.first.map { UnixSocket($0) }
        } catch { return nil }
    }

    /// The listener's end: whether an agent is wanted.
    ///
    /// - Throws: `SystemError`: `EPIPE` when the enclave has gone.
    package func isWanted() throws(SystemError) -> Bool {
        var word = [UInt8](repeating: 0, count: 16)
        var span = word.mutableSpan
        guard let arrival = try socket.receiveAttached(into: &span) else { return false }
        if arrival.count == 0 { throw SystemError(code: EPIPE, call: "recvmsg", advice: "the enclave has gone") }
        return true
    }

    /// The listener's end: gives the socket to an agent, or says that there is none.
    ///
    /// - Throws: `SystemError` of `sendmsg`.
    package func give(_ agent: UnixSocket?) throws(SystemError) {
        try socket.sendFully(
            [agent == nil ? 0 : 1].span, attaching: agent.map { [$0.descriptor] } ?? [], deadline: .now)
    }
}
