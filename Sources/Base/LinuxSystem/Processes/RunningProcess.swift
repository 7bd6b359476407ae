import CLinux
import Glibc

/// A process that is not a child of this one. A descriptor holds it, so that it cannot be confused with a later
/// process.
package struct RunningProcess: Sendable {
    /// The name of its program, which the kernel truncates to 15 bytes (comm, proc(5)).
    package let name: String
    package let number: Int32
    private let descriptor: FileDescriptor
    /// Becomes readable when the process has ended.
    package var end: FileDescriptor { descriptor }

    /// - Throws: `SystemError`: `ESRCH` or `ENOENT` when no process has the number.
    package init(_ number: Int32) throws(SystemError) {
        self.number = number
        descriptor = FileDescriptor(owning: try retrying("pidfd_open") { clinux_pidfd_open(number) })
        name = String(decoding: try ProcessDirectory.read("/proc/\(number)/comm", limit: 64).dropLast(), as: UTF8.self)
    }

    /// The process of a descriptor (pidfd), as a bus gives one.
    ///
    /// - Throws: `SystemError`: `ESRCH` when it has ended; of `open` or `read`.
    package init(holding descriptor: FileDescriptor) throws(SystemError) {
        let text = String(
            decoding: try ProcessDirectory.read("/proc/self/fdinfo/\(descriptor.number)", limit: 4096), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
        let word = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).last
        guard let number = word.flatMap({ Int32($0) }), number > 0 else {
            throw SystemError(code: ESRCH, call: "pidfd")
        }
        (self.number, self.descriptor) = (number, descriptor)
        name = String(decoding: try ProcessDirectory.read("/proc/\(number)/comm", limit: 64).dropLast(), as: UTF8.self)
    }

    /// When it began, in clock ticks since the boot.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` when the file is not as expected.
    package func startTime() throws(SystemError) -> UInt64 { try ProcessDirectory.startTime(of: number) }

    /// The time since the boot, in clock ticks, as ``startTime()`` has it.
    package static var ticksSinceBoot: UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &now)
        let ticks = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return UInt64(now.tv_sec) &* ticks &+ UInt64(now.tv_nsec) &* ticks / 1_000_000_000
    }

    /// Whether a signal or a debugger has stopped it (proc_pid_stat(5): T or t).
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package func isStopped() throws(SystemError) -> Bool {
        let state = try fields().first
        return state == "T" || state == "t"
    }

    /// Whether it began longer ago; false where the kernel does not say.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package func isOlder(thanMilliseconds limit: UInt64) throws(SystemError) -> Bool {
        let (fields, ticks) = (try fields(), sysconf(Int32(_SC_CLK_TCK)))
        guard fields.count > Self.start, let start = UInt64(fields[Self.start]), ticks > 0 else { return false }
        var now = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &now)
        return UInt64(now.tv_sec) &* 1000 >= start &* 1000 / UInt64(ticks) &+ limit
    }

    /// The index of the start time, in ticks since boot, in what follows the name (proc_pid_stat(5): field 22).
    private static let start = 19

    /// The fields behind the name, which may have any character.
    private func fields() throws(SystemError) -> [Substring] {
        let text = String(decoding: try ProcessDirectory.read("/proc/\(number)/stat", limit: 4096), as: UTF8.self)
        return text.split(separator: ")").last?.split(separator: " ") ?? []
    }

    package var hasEnded: Bool { (try? descriptor.wait(for: .readable, deadline: .now)) != nil }

    /// Kills the process, and waits until it has ended.
    ///
    /// - Throws: `SystemError`: `EPERM` for another user's process, `ETIMEDOUT` when it has not ended in time.
    package func kill(by deadline: Deadline) throws(SystemError) {
        do { _ = try retrying("pidfd_send_signal") { clinux_pidfd_kill(descriptor.number) } } catch {
            // A process that has ended meanwhile needs no signal.
            if error.code != ESRCH { throw error }
        }
        try descriptor.wait(for: .readable, deadline: deadline)
    }
}
