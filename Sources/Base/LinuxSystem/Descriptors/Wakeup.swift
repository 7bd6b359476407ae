import CLinux
import Glibc

/// Wakes an event loop from any thread (eventfd): watch ``descriptor`` for reading, and call ``clear()`` when it is
/// ready.
package final class Wakeup: Sendable {
    /// Readable from ``signal()`` to ``clear()``.
    package let descriptor: FileDescriptor

    /// - Throws: `SystemError` of `eventfd`: too many open files.
    package init() throws(SystemError) {
        let flags = CInt(EFD_CLOEXEC | EFD_NONBLOCK)
        descriptor = FileDescriptor(owning: try retrying("eventfd") { eventfd(0, flags) })
    }

    /// Wakes the loop. Several signals before the loop runs count as one.
    package func signal() {
        // The only possible failure is a full counter, and then the loop is already being woken.
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Clears the signals so far.
    package func clear() {
        var count: eventfd_t = 0
        // It fails only when there was no signal, which needs no clearing.
        _ = unsafe eventfd_read(descriptor.number, &count)
    }
}
