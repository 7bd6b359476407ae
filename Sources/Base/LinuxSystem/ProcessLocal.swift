import CLinux
import Glibc

/// A value that a forked child must not share with its parent, such as a database connection, and the mutex around it.
///
/// Mark and mutex lie in a page that the kernel wipes in a child: it finds the mark gone, and the mutex free whichever thread
/// of the parent held it. Asking costs no system call, and no kind of fork goes unnoticed.
@safe package final class ProcessLocal<Value>: @unchecked Sendable {
    /// All zero in a child; a zero mutex is an unlocked one on Linux.
    @unsafe private struct Page {
        var mutex: pthread_mutex_t
        var isOurs: Bool
    }

    private let page: UnsafeMutablePointer<Page>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        unsafe self.value = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        var isLocked: CInt = 0
        guard let start = unsafe clinux_map_secret(MemoryLayout<Page>.size, &isLocked) else {
            fatalError("out of memory for a page that forks wipe")
        }
        unsafe page = start.bindMemory(to: Page.self, capacity: 1)
        unsafe page.pointee.isOurs = true
    }

    deinit {
        unsafe munmap(page, MemoryLayout<Page>.size)
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Reads or changes the value while no other thread of this process does.
    ///
    /// - Parameter inChild: makes the value fit for a forked child, before the child's first use of it; when it throws, the
    ///   next use tries again.
    package func withValue<Result, Failure: Error>(
        inChild: (inout Value) throws(Failure) -> Void, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(&page.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&page.pointee.mutex) }
        if unsafe !page.pointee.isOurs {
            try unsafe inChild(&value.pointee)
            unsafe page.pointee.isOurs = true
        }
        return try unsafe body(&value.pointee)
    }
}
