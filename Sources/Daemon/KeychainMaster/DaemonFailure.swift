import LinuxSystem

/// A daemon has failed: those that connect wait for the next one, which is not started at once if the last one was.
struct DaemonFailure {
    var backoff = Backoff()
    private(set) var nextStart = Deadline.never
    private var waiting: [Ward.Arrival] = []

    private static let mostWaiting = 64

    var isPending: Bool { nextStart != .never }

    mutating func end() {
        nextStart = backoff.end()
        if nextStart.hasPassed { nextStart = .never }
    }

    mutating func wait(_ arrival: Ward.Arrival) -> Bool {
        guard waiting.count < Self.mostWaiting else { return false }
        waiting.append(arrival)
        return true
    }

    mutating func take() -> [Ward.Arrival] {
        defer { (waiting, nextStart) = ([], .never) }
        return waiting
    }
}
