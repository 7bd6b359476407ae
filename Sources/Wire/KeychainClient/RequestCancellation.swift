import KeychainModel
import LinuxSystem

/// Ends a request from another thread. Its connection is shut down, which the daemon takes for the end of its caller: a
/// prompt that is open for it goes.
package final class RequestCancellation: Sendable {
    private struct State {
        var socket: UnixSocket?
        var isCancelled = false
    }

    private let state = Lock(State())

    package init() {}

    /// Whether it was ended.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the request, also one that is yet to be sent.
    package func cancel() {
        let socket = state.withLock { state in
            state.isCancelled = true
            return state.socket
        }
        socket?.shutDown()
    }

    /// Says over which socket the request is about to go.
    ///
    /// - Throws: `errSecNotAvailable` (`state.withdrawn`) when it was cancelled.
    func begin(over socket: UnixSocket) throws(Refusal) {
        let isCancelled = state.withLock { state in
            state.socket = socket
            return state.isCancelled
        }
        if isCancelled { throw .cancelledRequest }
    }

    /// The socket serves other requests from now on.
    func end() { state.withLock { $0.socket = nil } }
}

extension Refusal {
    fileprivate static let cancelledRequest = Refusal(
        .notAvailable, .withdrawn, "program", "The request was withdrawn.", do: "Ask again.")
}
