import Glibc

/// The clocks of the system.
package enum Clock {
    /// Nanoseconds since some fixed moment before the boot; never goes back, does not count suspension.
    package static var monotonicNanoseconds: UInt64 {
        let now = read(CLOCK_MONOTONIC)
        return UInt64(now.tv_sec) &* 1_000_000_000 &+ UInt64(now.tv_nsec)
    }

    /// Nanoseconds since 1970 by the wall clock, which somebody may have set.
    package static var realtimeNanoseconds: Int64 {
        let now = read(CLOCK_REALTIME)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }

    /// Whole seconds since the system was started, suspension included; nobody can set this clock. In a time namespace it is
    /// ahead or behind, by ``TimeNamespace/secondsAhead``.
    package static var secondsSinceBoot: UInt64 { UInt64(read(CLOCK_BOOTTIME).tv_sec) }

    /// Seconds since 2001-01-01 00:00 UTC, Apple's reference date, by the wall clock.
    package static var secondsSinceReferenceDate: Double {
        let now = read(CLOCK_REALTIME)
        return Double(now.tv_sec - referenceDate) + Double(now.tv_nsec) / 1e9
    }

    /// A name the kernel makes anew at every boot, 36 characters.
    ///
    /// - Throws: `SystemError` when `/proc` is not mounted.
    package static func bootIdentifier() throws(SystemError) -> String {
        let text = try ProcessDirectory.read("/proc/sys/kernel/random/boot_id", limit: 64)
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static let referenceDate = 978_307_200

    private static func read(_ clock: clockid_t) -> timespec {
        var now = timespec()
        unsafe clock_gettime(clock, &now)
        return now
    }
}

/// The name of the boot, which may be another one the next time: a process can be brought back to life after a restart
/// (checkpoint and restore). Kept open, so that it can be read where no file can be opened any more.
package final class BootIdentifier: Sendable {
    private let file: FileDescriptor?
    private let reading = Lock(())

    package init() { file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY) }

    /// 36 characters; nil where `/proc` is not mounted.
    package var current: String? {
        guard let file else { return nil }
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = reading.withLock { _ -> Int in
            guard lseek(file.number, 0, SEEK_SET) == 0 else { return 0 }
            var span = bytes.mutableSpan
            return (try? file.readFully(into: &span)) ?? 0
        }
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
