import CLinux
import Glibc

/// A process that is not a child of this one, held by a descriptor, so that no later process is taken for it.
package struct RunningProcess {
    /// The name of its program, as the kernel shortens it to 15 bytes (comm, proc(5)).
    package let name: String
    private let descriptor: FileDescriptor

    /// - Throws: `SystemError`: `ESRCH` or `ENOENT` when no process has the number.
    package init(_ number: Int32) throws(SystemError) {
        descriptor = FileDescriptor(owning: try retrying("pidfd_open") { clinux_pidfd_open(number) })
        name = String(decoding: try ProcessDirectory.read("/proc/\(number)/comm", limit: 64).dropLast(), as: UTF8.self)
    }

    /// Ends the process by force, and waits until it has ended.
    ///
    /// - Throws: `SystemError`: `EPERM` for another user's process, `ETIMEDOUT` when it has not ended in time.
    package func kill(by deadline: Deadline) throws(SystemError) {
        do { _ = try retrying("pidfd_send_signal") { clinux_pidfd_kill(descriptor.number) } } catch {
            // One that has ended meanwhile is ended.
            if error.code != ESRCH { throw error }
        }
        try descriptor.wait(for: .readable, deadline: deadline)
    }
}
