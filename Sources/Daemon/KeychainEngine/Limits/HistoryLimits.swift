import LinuxSystem

/// For how long earlier versions of items are kept, and how many bytes of them.
package struct HistoryLimits: Equatable, Sendable {
    /// 0 keeps none.
    package var days: UInt32
    package var bytes: Int64

    package static let standardDays: UInt32 = 30
    /// All versions together, where the quota is not less than ten times as much.
    package static let mostBytes: Int64 = 10 << 20

    package init(days: UInt32 = standardDays, bytes: Int64 = mostBytes) { (self.days, self.bytes) = (days, bytes) }

    /// The end of the versions that are past: microseconds since 2001.
    ///
    /// - Parameter now: seconds since 2001.
    func since(_ now: Double = Clock.secondsSinceReferenceDate) -> Int64 {
        days == 0 ? .max : Self.microseconds(now - Double(days) * 86400)
    }

    /// - Parameter moment: seconds since 2001.
    static func microseconds(_ moment: Double) -> Int64 {
        Int64(exactly: (moment * 1_000_000).rounded()) ?? (moment < 0 ? .min : .max)
    }
}

/// The time for dropping what is past: the wall clock's, but never more than passed on the system's
/// own clock since the keychain was opened. A wall clock that is set ahead drops nothing in a process that runs, and
/// one that is set back keeps all for longer.
package struct HistoryClock: Sendable {
    private let wall: @Sendable () -> Double
    private let boot: @Sendable () -> Double
    private let opened: (wall: Double, boot: Double)

    /// - Parameters:
    ///   - wall: seconds since 2001.
    ///   - boot: seconds since the system was started, which nobody sets.
    package init(
        wall: @escaping @Sendable () -> Double = { Clock.secondsSinceReferenceDate },
        boot: @escaping @Sendable () -> Double = { Double(Clock.secondsSinceBoot) }
    ) {
        (self.wall, self.boot) = (wall, boot)
        opened = (wall(), boot())
    }

    /// Seconds since 2001.
    package var now: Double { min(wall(), opened.wall + boot() - opened.boot) }
}
