import Glibc

/// A value with a mutex that a forked child must not share with its parent, such as a database connection.
///
/// The functions that every request calls are inlinable: as generic code they would cost more than the mutex.
@safe @usableFromInline package final class ProcessLocal<Value>: @unchecked Sendable {
    @usableFromInline let mark: ProcessMark
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package convenience init(_ value: Value) { unsafe self.init(value, in: LockedArena.take(ProcessMark.size)) }

    /// Keeps mark and mutex in a block of the arena for secrets.
    init(_ value: Value, in block: LockedBlock) {
        unsafe self.value = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe mark = ProcessMark(in: block)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Reads or changes the value while no other thread of this process does.
    ///
    /// - Parameter inChild: prepares the value for a forked child, before the child's first use of it. When it throws,
    ///   the next use tries again.
    @inlinable
    package func withValue<Result, Failure: Error>(
        inChild: (inout Value) throws(Failure) -> Void, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let isOurs = mark.lock()
        defer { mark.unlock() }
        if !isOurs {
            try unsafe inChild(&value.pointee)
            mark.set()
        }
        return try unsafe body(&value.pointee)
    }
}

/// Distinguishes the process that made it from its forked children, and contains a mutex.
///
/// Mark and mutex lie in memory that the kernel wipes in a child, like the memory for secrets. The child finds the mark
/// missing and the mutex unlocked, even if a thread of the parent held it. The check costs no system call and detects
/// every kind of fork.
@safe @usableFromInline final class ProcessMark: @unchecked Sendable {
    static let size = unsafe MemoryLayout<Content>.size
    private let block: LockedBlock

    init(in block: LockedBlock) {
        unsafe self.block = unsafe block
        set()
    }

    /// The lock orders the work of other threads before the block's next use. Reference counting orders it too, but the
    /// thread sanitizer does not see that.
    deinit {
        _ = lock()
        unlock()
        unsafe LockedArena.giveBack(block, used: Self.size)
    }

    /// Excludes other threads until ``unlock()``. Returns whether this is the process that set the mark.
    @usableFromInline
    func lock() -> Bool {
        unsafe pthread_mutex_lock(&content.pointee.mutex)
        return unsafe content.pointee.isSet
    }

    @usableFromInline
    func unlock() { unsafe pthread_mutex_unlock(&content.pointee.mutex) }

    /// Marks the process as the owner.
    @usableFromInline
    func set() { unsafe content.pointee.isSet = true }

    private var content: UnsafeMutablePointer<Content> {
        unsafe UnsafeMutableRawPointer(block.start).assumingMemoryBound(to: Content.self)
    }

    /// All zero in a child; a zero mutex is an unlocked one on Linux.
    @unsafe private struct Content {
        var mutex: pthread_mutex_t
        var isSet: Bool
    }
}
