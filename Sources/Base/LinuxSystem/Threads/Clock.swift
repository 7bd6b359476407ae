import Glibc

/// The clocks of the system.
package enum Clock {
    /// Nanoseconds since some fixed moment before the boot. It never goes back and does not count suspension.
    package static var monotonicNanoseconds: UInt64 {
        let now = time(of: CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    }

    /// Nanoseconds that the calling thread has had a processor for.
    package static var threadNanoseconds: UInt64 {
        let now = time(of: CLOCK_THREAD_CPUTIME_ID)
        return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    }

    /// Nanoseconds since 1970 by the wall clock, which can be set.
    package static var realtimeNanoseconds: Int64 {
        let now = time(of: CLOCK_REALTIME)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }

    /// Whole seconds since the boot, suspension included; nobody can set this clock. In a time namespace it differs by
    /// ``TimeNamespace/secondsAhead``.
    package static var secondsSinceBoot: UInt64 { UInt64(time(of: CLOCK_BOOTTIME).tv_sec) }

    /// Seconds since 2001-01-01 00:00 UTC, Apple's reference date, by the wall clock.
    package static var secondsSinceReferenceDate: Double {
        let now = time(of: CLOCK_REALTIME)
        return Double(now.tv_sec - referenceDate) + Double(now.tv_nsec) / 1e9
    }

    private static let referenceDate = 978_307_200

    private static func time(of clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}
