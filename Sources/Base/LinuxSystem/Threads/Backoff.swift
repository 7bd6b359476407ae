/// The delay before a program is started again: none at first, then longer each time, so that a program that ends at
/// once does not keep the machine busy.
package struct Backoff: Sendable {
    private var delay = 0
    private var started: UInt64?

    /// Delays in milliseconds.
    private static let first = 100
    private static let longest = 5000
    private let longLife: UInt64

    /// - Parameter longLife: the nanoseconds after which the end of a program is not a failed start.
    package init(longLife: UInt64 = 10_000_000_000) { self.longLife = longLife }

    /// Records a start.
    package mutating func begin() { started = Clock.monotonicNanoseconds }

    /// Records the end, or a failed start.
    ///
    /// - Returns: when to start it again.
    package mutating func end() -> Deadline {
        if let started, Clock.monotonicNanoseconds - started > longLife { delay = 0 }
        started = nil
        defer { delay = min(max(delay * 2, Self.first), Self.longest) }
        return .after(milliseconds: delay)
    }
}
