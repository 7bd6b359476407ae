import LinuxSystem

/// A connection's output while the loop and another thread may both have something to send: whole frames, one at a
/// time.
final class FrameWriter: Sendable {
    private struct State {
        /// Nil once the connection was closed: an answer for it must not hold it open.
        var socket: UnixSocket?
        /// False once a frame was sent in part: its rest comes next.
        var isBetweenFrames = true
    }

    private let state: Lock<State>

    init(_ socket: UnixSocket) { state = Lock(State(socket: socket)) }

    /// Sends as much of a frame as is taken: none when the rest of another one comes first. A peer that has gone is
    /// noticed by the loop.
    func send(_ frame: Span<UInt8>) -> Int {
        state.withLock { state in
            guard state.isBetweenFrames, let sent = try? state.socket?.send(frame) else { return 0 }
            state.isBetweenFrames = sent == 0 || sent == frame.count
            return sent
        }
    }

    /// Nothing more is sent.
    func close() { state.withLock { $0.socket = nil } }
}
