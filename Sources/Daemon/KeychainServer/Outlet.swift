import LinuxSystem

/// A connection's output while the loop and another thread may both have something to send: whole frames, one at a time.
final class Outlet: Sendable {
    private let socket: UnixSocket
    /// False once a frame was sent in part: its rest comes next.
    private let isBetweenFrames = Lock(true)

    init(_ socket: UnixSocket) { self.socket = socket }

    /// Sends as much of a frame as is taken: none when the rest of another one comes first. A peer that has gone is noticed by
    /// the loop.
    func send(_ frame: Span<UInt8>) -> Int {
        isBetweenFrames.withLock { isBetweenFrames in
            guard isBetweenFrames, let sent = try? socket.send(frame) else { return 0 }
            isBetweenFrames = sent == 0 || sent == frame.count
            return sent
        }
    }
}
