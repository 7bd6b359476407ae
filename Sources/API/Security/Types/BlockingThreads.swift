internal import Dispatch

/// Runs `body` on a thread that may block. Task-local values, such as the keychain of a test, hold there too.
package func awaiting<Result: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> Result
) async throws(Failure) -> Result {
    try await withTaskExecutorPreference(BlockingThreads.shared) { () async throws(Failure) -> Result in try body() }
}

/// The threads of the system's pool. It grows when threads block; the pool of the tasks does not.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global().async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
