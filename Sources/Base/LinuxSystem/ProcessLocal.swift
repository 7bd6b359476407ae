import Glibc

/// A value that a forked child must not share with its parent, such as a database connection, and the mutex around it.
///
/// Mark and mutex lie in memory that the kernel wipes in a child, as that for secrets is: it finds the mark gone, and the mutex
/// free whichever thread of the parent held it. Asking costs no system call, and no kind of fork goes unnoticed.
@safe package final class ProcessLocal<Value>: @unchecked Sendable {
    private let block: LockedBlock
    private let value: UnsafeMutablePointer<Value>

    package convenience init(_ value: Value) { unsafe self.init(value, in: LockedArena.take(MemoryLayout<Mark>.size)) }

    /// Keeps mark and mutex in a block of the arena for secrets.
    init(_ value: Value, in block: LockedBlock) {
        unsafe self.value = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe self.block = unsafe block
        unsafe mark.pointee.isOurs = true
    }

    deinit {
        unsafe LockedArena.giveBack(block, used: MemoryLayout<Mark>.size)
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    private var mark: UnsafeMutablePointer<Mark> {
        unsafe UnsafeMutableRawPointer(block.start).assumingMemoryBound(to: Mark.self)
    }

    /// Reads or changes the value while no other thread of this process does.
    ///
    /// - Parameter inChild: makes the value fit for a forked child, before the child's first use of it; when it throws, the
    ///   next use tries again.
    package func withValue<Result, Failure: Error>(
        inChild: (inout Value) throws(Failure) -> Void, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(&mark.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&mark.pointee.mutex) }
        if unsafe !mark.pointee.isOurs {
            try unsafe inChild(&value.pointee)
            unsafe mark.pointee.isOurs = true
        }
        return try unsafe body(&value.pointee)
    }
}

/// All zero in a child; a zero mutex is an unlocked one on Linux.
@unsafe private struct Mark {
    var mutex: pthread_mutex_t
    var isOurs: Bool
}
