import KeychainModel
import LinuxSystem

/// Programs whose updates and deletions look through many items. A commit has one such write at most, so that a program
/// that adds waits for one, and not for all that wait.
struct SlowWriters {
    /// Milliseconds of the processor after which a commit was long, and for which it is remembered whose it was.
    private static let (long, memory) = (10 as UInt64, 10_000)

    private var until: [Standing: Deadline] = [:]

    /// Whether a write is one of a program that had a long one just now. An add looks through nothing.
    func contains(_ job: WriteJob) -> Bool {
        guard !until.isEmpty, job.request.operation != .add, let end = until[job.standing] else { return false }
        return !end.hasPassed
    }

    /// Performs a commit, and remembers whose it was when it was long.
    mutating func observe<Result>(_ jobs: [WriteJob], _ commit: () -> Result) -> Result {
        guard jobs.contains(where: { $0.request.operation != .add }) else { return commit() }
        let start = Clock.threadNanoseconds
        let result = commit()
        let isLong = (Clock.threadNanoseconds - start) / 1_000_000 >= Self.long
        if !until.isEmpty { until = until.filter { !$0.value.hasPassed } }
        guard isLong else { return result }
        for job in jobs where job.request.operation != .add {
            until[job.standing] = .after(milliseconds: Self.memory)
        }
        return result
    }
}
