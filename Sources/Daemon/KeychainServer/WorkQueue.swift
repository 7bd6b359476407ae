import LinuxSystem
import Synchronization

/// A job that waits for a thread.
protocol QueuedJob: Sendable {
    /// What it takes of the queue's room.
    var cost: Int { get }
}

/// Jobs between the event loops and the threads that may block.
final class WorkQueue<Job: QueuedJob>: Sendable {
    private struct State {
        var jobs: [Job] = []
        var cost = 0
        var isClosed = false
    }

    private let state = Monitor(State())
    /// Whether there are any, for who looks without taking part.
    private let hasJobs = Atomic(false)
    private let room: Int

    init(room: Int) { self.room = room }

    /// Adds a job; false when there is no room for it.
    func put(_ job: Job) -> Bool {
        state.update { state in
            guard !state.isClosed, job.cost <= room - state.cost else { return false }
            state.jobs.append(job)
            state.cost += job.cost
            hasJobs.store(true, ordering: .releasing)
            return true
        }
    }

    /// Waits for jobs and takes the oldest, at most `count` of them; none when the queue is closed and empty.
    func take(atMost count: Int = .max) -> [Job] {
        let jobs = state.wait { state -> [Job]? in
            guard !state.jobs.isEmpty || state.isClosed else { return nil }
            let taken = Array(state.jobs.prefix(count))
            state.jobs.removeFirst(taken.count)
            state.cost -= taken.reduce(0) { $0 + $1.cost }
            hasJobs.store(!state.jobs.isEmpty, ordering: .releasing)
            return taken
        }
        return jobs ?? []
    }

    /// Waits for jobs and takes all; looks for a moment before it goes to sleep.
    func take(_ shortWait: inout ShortWait) -> [Job] {
        _ = shortWait.find { hasJobs.load(ordering: .acquiring) }
        return take()
    }

    /// Takes no more jobs; those that wait are still handed out.
    func close() { state.update { $0.isClosed = true } }
}
