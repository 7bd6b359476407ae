import Glibc

/// A value that a forked child must not share with its parent, such as a database connection, and the mutex around it.
///
/// What is called for every request is inlinable: as generic code it would cost more than the mutex.
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
    /// - Parameter inChild: makes the value fit for a forked child, before the child's first use of it; when it throws,
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

/// Tells the process that made it from its forked children, and keeps threads apart.
///
/// Mark and mutex lie in memory that the kernel wipes in a child, as that for secrets is: it finds the mark gone, and
/// the mutex free whichever thread of the parent held it. Asking costs no system call, and no kind of fork goes
/// unnoticed.
@safe @usableFromInline final class ProcessMark: @unchecked Sendable {
    static let size = unsafe MemoryLayout<Content>.size
    private let block: LockedBlock

    init(in block: LockedBlock) {
        unsafe self.block = unsafe block
        set()
    }

    /// What other threads did behind the mutex comes before what is done with the block next. Counting references says
    /// so too, but that the thread sanitizer does not see.
    deinit {
        _ = lock()
        unlock()
        unsafe LockedArena.giveBack(block, used: Self.size)
    }

    /// Keeps other threads out until ``unlock()``; whether this is the process that set the mark.
    @usableFromInline
    func lock() -> Bool {
        unsafe pthread_mutex_lock(&content.pointee.mutex)
        return unsafe content.pointee.isSet
    }

    @usableFromInline
    func unlock() { unsafe pthread_mutex_unlock(&content.pointee.mutex) }

    /// Makes it this process's own.
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
