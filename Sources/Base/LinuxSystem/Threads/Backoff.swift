/// How long to wait before something that has ended is started again: not at all at first, then longer each time, so
/// that what ends as soon as it is started does not keep the machine busy.
package struct Backoff: Sendable {
    private var delay = 0
    private var started: UInt64?

    /// Milliseconds.
    private static let first = 100
    private static let longest = 5000
    private let longLife: UInt64

    /// - Parameter longLife: how long it lives when it has not ended because it was started: nanoseconds.
    package init(longLife: UInt64 = 10_000_000_000) { self.longLife = longLife }

    /// It is started now.
    package mutating func begin() { started = Clock.monotonicNanoseconds }

    /// It has ended, or could not be started.
    ///
    /// - Returns: when to start it again.
    package mutating func end() -> Deadline {
        if let started, Clock.monotonicNanoseconds - started > longLife { delay = 0 }
        started = nil
        defer { delay = min(max(delay * 2, Self.first), Self.longest) }
        return .after(milliseconds: delay)
    }
}
