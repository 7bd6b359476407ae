import LinuxSystem

/// How many connections there are, and since when there have been none.
final class ConnectionCounter: Sendable {
    private struct State {
        var connections = 0
        var since = Clock.monotonicNanoseconds
    }

    private let state = Lock(State())

    func arrive() { state.withLock { $0.connections += 1 } }

    func leave() {
        state.withLock { state in
            state.connections -= 1
            state.since = Clock.monotonicNanoseconds
        }
    }

    var connections: Int { state.withLock { $0.connections } }

    /// For how long nobody has been connected, in nanoseconds; nil while somebody is.
    var vacancy: UInt64? {
        state.withLock { $0.connections == 0 ? Clock.monotonicNanoseconds - $0.since : nil }
    }
}
