import CLinux
import Glibc

/// A process that is not a child of this one. A descriptor holds it, so that it cannot be confused with a later
/// process.
package struct RunningProcess: Sendable {
    /// The name of its program, which the kernel truncates to 15 bytes (comm, proc(5)).
    package let name: String
    private let descriptor: FileDescriptor
    /// Becomes readable when the process has ended.
    package var end: FileDescriptor { descriptor }

    /// - Throws: `SystemError`: `ESRCH` or `ENOENT` when no process has the number.
    package init(_ number: Int32) throws(SystemError) {
        descriptor = FileDescriptor(owning: try retrying("pidfd_open") { clinux_pidfd_open(number) })
        name = String(decoding: try ProcessDirectory.read("/proc/\(number)/comm", limit: 64).dropLast(), as: UTF8.self)
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
