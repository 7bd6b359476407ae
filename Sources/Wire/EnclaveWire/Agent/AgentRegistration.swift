import Glibc
import KeychainWire
package import LinuxSystem

/// The connection of a user's session agent to the listener of the system service's enclaves. To make it is to
/// register: the kernel says whose it is and which program made it, and the listener reads nothing from it.
///
///     given     = 1:u8   ; from the listener, with the socket of a channel to the user's enclave
///     dismissed = 2:u8   ; from the listener: another agent of the user has registered
///
/// The agent serves each channel as any agent does (``AgentServer``).
package struct AgentRegistration: Sendable {
    /// Of the connection. On the listener's side it is watched for its end and never read.
    package let socket: UnixSocket

    package init(_ socket: UnixSocket) { self.socket = socket }

    /// The name of the listener's socket for session agents, in the folder of its other socket.
    package static let socketName = "agents"
    /// The listener's usual socket, in a folder that only root fills.
    package static let usualSocket = "/run/keychain-enclaved/\(socketName)"
    /// The group that root gives to the installed session agent, as a set-group-ID program. It has no members.
    package static let usualGroup = "_keychain-prompts"

    /// The next word of the listener.
    package enum Word: Sendable {
        /// A channel to serve.
        case channel(UnixSocket)
        case dismissed
        /// The listener has gone, has refused this program, or says something else.
        case ended
    }

    private static let (given, dismissed): (UInt8, UInt8) = (1, 2)

    /// The agent's end: waits for the next word.
    package func next() -> Word {
        var answer: [UInt8] = [0]
        var span = answer.mutableSpan
        do throws(SystemError) {
            try socket.descriptor.wait(for: .readable, deadline: .never)
            guard let arrival = try socket.receiveAttached(into: &span), arrival.count == 1 else { return .ended }
            if answer[0] == Self.dismissed { return .dismissed }
            guard answer[0] == Self.given, let channel = arrival.descriptors.first else { return .ended }
            return .channel(UnixSocket(channel))
        } catch { return .ended }
    }

    /// The listener's end: whether the agent has taken all that it was given, or has gone. A channel that nobody takes
    /// counts against the open files of the listener's user, as long as the agent's process lives.
    package var hasTakenAll: Bool { (try? socket.hasDeliveredAll()) ?? true }

    /// The listener's end: gives the agent a channel.
    ///
    /// - Throws: `SystemError` of `sendmsg`: the agent has gone; `ETIMEDOUT`: it has not taken the last one.
    package func give(_ channel: UnixSocket) throws(SystemError) {
        guard hasTakenAll else { throw SystemError(code: ETIMEDOUT, call: "sendmsg") }
        try socket.sendFully([Self.given].span, attaching: [channel.descriptor], deadline: .now)
    }

    /// The listener's end: ends the registration, because another agent has taken its place.
    package func dismiss() {
        // An agent that does not read learns it from the end of the connection.
        try? socket.sendFully([Self.dismissed].span, attaching: [], deadline: .now)
        end()
    }

    /// The listener's end: ends the registration. The end of the agent's side is still reported.
    package func end() { socket.endSending() }
}
