import KeychainModel
import KeychainWire
import LinuxSystem

/// The channel to the present agent. When that agent has gone, the next one takes its place, if there is a source of
/// agents.
final class AgentSeat: Sendable {
    private struct State {
        var channel: AgentChannel
        var mayHaveNext: Bool
    }

    private let state: Monitor<State>
    private let desk: AgentQueue?
    private let onEvent: @Sendable (SessionEvent) -> Void

    /// How long a call waits for the next agent: milliseconds.
    private static let timeout = 5000

    init(_ socket: UnixSocket, _ desk: AgentQueue?, onEvent: @escaping @Sendable (SessionEvent) -> Void) {
        (self.desk, self.onEvent) = (desk, onEvent)
        state = Monitor(State(channel: AgentChannel(socket, onEvent: onEvent), mayHaveNext: desk != nil))
    }

    /// The channel of now, which may be closed.
    var channel: AgentChannel { state.update { $0.channel } }

    /// A channel that is open, unless there is none in time.
    func openChannel() -> AgentChannel {
        let found = state.wait(deadline: .after(milliseconds: Self.timeout)) { state in
            state.channel.isClosed && state.mayHaveNext ? nil : state.channel
        }
        return found ?? channel
    }

    /// Reads the messages of one agent after the other, until there is none any more.
    func read() {
        while true {
            channel.read()
            guard state.update({ $0.mayHaveNext }), let socket = desk?.next() else { break }
            let next = AgentChannel(socket, onEvent: onEvent)
            guard
                state.update({ state in
                    if state.mayHaveNext { state.channel = next }
                    return state.mayHaveNext
                })
            else { break }
        }
        state.update { $0.mayHaveNext = false }
    }

    func close() {
        state.update { state in
            state.mayHaveNext = false
            state.channel.close()
        }
    }
}
