import Glibc

/// A value that one thread at a time may access: a mutex of the system around it.
///
/// `Synchronization.Mutex` is not used. The thread sanitizer does not see its waits in the kernel: it would report
/// every protected value as a race, and real races would be lost among them. To wait for a change, use a `Monitor`; for
/// a value that a forked child must not share, `ProcessLocal`.
///
/// Sharing it is safe because every access holds the mutex. The functions that every request calls are inlinable: as
/// generic functions of another module they would cost several times as much as the mutex.
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

    /// The same if no other thread holds the lock right now; otherwise `nil`.
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
