import LinuxSystem

/// A daemon has failed: those that connect wait for the next one, which is not started at once if the last one was.
struct DaemonFailure {
    var backoff = Backoff()
    private(set) var nextStart = Deadline.never
    private var waiting = ArrivalQueue()

    var isPending: Bool { nextStart != .never }

    mutating func end() {
        nextStart = backoff.end()
        if nextStart.hasPassed { nextStart = .never }
    }

    /// Has a connection wait; the one that has to go for it, if any.
    mutating func wait(_ arrival: UserDaemon.Arrival) -> UserDaemon.Arrival? { waiting.put(arrival) }

    mutating func take() -> ArrivalQueue {
        defer { (waiting, nextStart) = (ArrivalQueue(), .never) }
        return waiting
    }
}
