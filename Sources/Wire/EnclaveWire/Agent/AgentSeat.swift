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

    private let patience: Patience

    /// How long an agent is waited for: milliseconds.
    struct Patience {
        /// By a call, for the next agent.
        var next = 5000
        /// By a question that was withdrawn; nil for as long as by any other.
        var withdrawn: Int?
        /// By a call that waits for no person.
        var call = 10_000
    }

    init(
        _ socket: UnixSocket, _ desk: AgentQueue?, patience: Patience = Patience(),
        onEvent: @escaping @Sendable (SessionEvent) -> Void
    ) {
        (self.desk, self.patience, self.onEvent) = (desk, patience, onEvent)
        let channel = AgentChannel(socket, farewell: patience.withdrawn, onEvent: onEvent)
        state = Monitor(State(channel: channel, mayHaveNext: desk != nil))
    }

    /// The channel of now, which may be closed.
    var channel: AgentChannel { state.update { $0.channel } }

    /// How long a call that waits for no person may take: milliseconds.
    var timeout: Int { patience.call }

    /// A channel that is open, unless there is none in time.
    func openChannel() -> AgentChannel {
        let found = state.wait(deadline: .after(milliseconds: patience.next)) { state in
            state.channel.isClosed && state.mayHaveNext ? nil : state.channel
        }
        return found ?? channel
    }

    /// Reads the messages of one agent after the other, until there is none any more.
    func read() {
        while true {
            channel.read()
            guard state.update({ $0.mayHaveNext }), let socket = desk?.next() else { break }
            let next = AgentChannel(socket, farewell: patience.withdrawn, onEvent: onEvent)
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
