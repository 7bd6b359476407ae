import CLinux
import Glibc

/// Lets any thread wake an event loop (eventfd): watch ``descriptor`` for reading, ``clear()`` when it is ready.
package final class Wakeup: Sendable {
    /// Readable from ``signal()`` to ``clear()``.
    package let descriptor: FileDescriptor

    /// - Throws: `SystemError` of `eventfd`: too many open files.
    package init() throws(SystemError) {
        let flags = CInt(EFD_CLOEXEC | EFD_NONBLOCK)
        descriptor = FileDescriptor(owning: try retrying("eventfd") { eventfd(0, flags) })
    }

    /// Wakes the loop; many signals before it looks are one.
    package func signal() {
        // The only failure is a counter that is full, and then the loop is being woken already.
        _ = eventfd_write(descriptor.number, 1)
    }

    /// Forgets the signals so far.
    package func clear() {
        var count: eventfd_t = 0
        // Fails only when there was no signal, which is as good as cleared.
        _ = unsafe eventfd_read(descriptor.number, &count)
    }
}
