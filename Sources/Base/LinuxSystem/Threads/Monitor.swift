import Glibc

/// State shared by threads that also wait for its changes (a mutex and a condition variable).
///
/// Where nobody waits, a `Lock` is cheaper. Sharing it is safe because every access holds the mutex.
@safe package final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: State) {
        self.state = state
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(changed, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Reads or changes the state, and wakes all threads that wait for a change.
    package func update<Result, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(changed)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Calls `body` now and after every change until it returns an answer; `nil` when the deadline passed first.
    package func wait<Answer>(deadline: Deadline = .never, _ body: (inout State) -> Answer?) -> Answer? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let answer = body(&state) { return answer }
            guard sleep(until: deadline) else { return body(&state) }
        }
    }

    private func sleep(until deadline: Deadline) -> Bool {
        guard var moment = deadline.moment else { return unsafe pthread_cond_wait(changed, mutex) == 0 }
        return unsafe pthread_cond_timedwait(changed, mutex, &moment) != ETIMEDOUT
    }
}
