import EnclaveWire
import KeychainWire
import LinuxSystem

/// The events of the session that the agent sees, on their way to an enclave that is made after the agent.
final class EarlySessionEvents: Sendable {
    private let state = Lock(State())

    private struct State {
        var receiver: (@Sendable (SessionEvent) -> Void)?
        /// The event seen before there was a receiver: the last counts.
        var early: SessionEvent?
    }

    /// Passes on the events from now on, and the one that came before.
    func deliver(to receiver: @escaping @Sendable (SessionEvent) -> Void) {
        let early = state.withLock { state in
            state.receiver = receiver
            return state.early
        }
        if let early { receiver(early) }
    }

    /// Takes an event of the agent.
    func take(_ event: SessionEvent) {
        let receiver = state.withLock { state in
            if state.receiver == nil { state.early = event }
            return state.receiver
        }
        receiver?(event)
    }
}
