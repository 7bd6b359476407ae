import Glibc

/// A value that one thread at a time may touch: the mutex of the system around it.
///
/// `Synchronization.Mutex` is not used. It waits in the kernel where the thread sanitizer does not see it, so that
/// every value behind it is reported as a race and a real one would not be noticed. To wait for a change, use a
/// `Monitor`; for what a forked child must not share, `ProcessLocal`.
///
/// Everything that touches the value holds the mutex, which is what makes sharing this safe. What is done for every
/// request is inlinable: as a generic function of another module it would cost several times what the mutex does.
@safe @usableFromInline package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        unsafe mutex = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe self.value = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe value.deinitialize(count: 1)
        unsafe mutex.deallocate()
        unsafe value.deallocate()
    }

    /// Reads or changes the value while no other thread does.
    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { unlock() }
        return try unsafe body(&value.pointee)
    }

    /// The same when no other thread is at it right now; `nil` when one is.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }

    @usableFromInline func lock() { unsafe pthread_mutex_lock(mutex) }
    @usableFromInline func unlock() { unsafe pthread_mutex_unlock(mutex) }
}
