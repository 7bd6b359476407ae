import Glibc

/// The moment at which a wait ends, on the monotonic clock.
package struct Deadline: Comparable, Sendable {
    /// The moment in nanoseconds of ``Clock/monotonicNanoseconds``; the largest number means never.
    private let instant: UInt64

    /// A deadline that does not come.
    package static let never = Deadline(instant: .max)
    /// A deadline in the past: the call may try once and may not wait.
    package static let now = Deadline(instant: 0)

    /// The moment `milliseconds` from now; a negative number means one in the past.
    package static func after(milliseconds: Int) -> Deadline {
        guard milliseconds > 0 else { return now }
        let (nanoseconds, tooLong) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        let (instant, tooLate) = Clock.monotonicNanoseconds.addingReportingOverflow(nanoseconds)
        return tooLong || tooLate ? never : Deadline(instant: instant)
    }

    /// The moment `microseconds` from now.
    package static func after(microseconds: Int) -> Deadline {
        Deadline(instant: Clock.monotonicNanoseconds &+ UInt64(max(0, microseconds)) &* 1000)
    }

    /// Whether the moment has passed.
    package var hasPassed: Bool { remainingNanoseconds == 0 }

    /// The remaining time, rounded up in the form that `poll` takes: -1 for never, 0 when it has passed.
    package var remainingMilliseconds: CInt {
        guard let left = remainingNanoseconds else { return -1 }
        return CInt(clamping: left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }

    /// The remaining time; `nil` for never, 0 when it has passed.
    package var remainingNanoseconds: UInt64? {
        if instant == .max { return nil }
        let now = Clock.monotonicNanoseconds
        return instant > now ? instant - now : 0
    }

    /// The moment in the form that system calls take; `nil` for never.
    var moment: timespec? {
        if instant == .max { return nil }
        return timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
    }

    package static func < (left: Deadline, right: Deadline) -> Bool { left.instant < right.instant }
}
