import KeychainModel
import LinuxSystem
import Synchronization

/// A job that waits for a thread.
protocol QueuedJob: Sendable {
    /// The part of the queue's capacity that it takes.
    var cost: Int { get }
    /// Whose turn it takes.
    var standing: Standing { get }
}

/// Jobs between the event loops and the threads that may block. Each program has a share of the capacity, and its turn.
final class WorkQueue<Job: QueuedJob>: Sendable {
    private struct State {
        var jobs: FairQueue<Job>
        var count = 0
        var cost = 0
        /// And that of each program.
        var costs: [Standing: Int] = [:]
        var isClosed = false
    }

    private let state: Monitor<State>
    /// Whether there are any, for a thread that looks without taking part.
    private let hasJobs = Atomic(false)
    private let capacity: Int
    private let share: Int

    /// - Parameters:
    ///   - capacity: how much may wait.
    ///   - share: how much of one program.
    ///   - running: how many jobs of one program may be under way.
    ///   - shared: how many of programs that nobody vouches for.
    init(capacity: Int, share: Int, running: Int = .max, shared: Int = .max) {
        (self.capacity, self.share) = (capacity, share)
        state = Monitor(State(jobs: FairQueue(running: running, shared: shared)))
    }

    /// Adds a job.
    ///
    /// - Throws: `errSecNotAvailable` when there is no room for it, or its program has too many.
    func put(_ job: Job) throws(Refusal) {
        try state.update { state throws(Refusal) in
            guard !state.isClosed, job.cost <= capacity - state.cost else { throw .busy }
            let own = state.costs[job.standing, default: 0]
            guard job.cost <= share - own else { throw .beyondShare("requests") }
            put(job, into: &state)
        }
    }

    private func put(_ job: Job, into state: inout State) {
        state.jobs.put(job, of: job.standing)
        state.costs[job.standing, default: 0] += job.cost
        state.cost += job.cost
        state.count += 1
        hasJobs.store(true, ordering: .releasing)
    }

    /// Waits for a job and takes the one that is due; nil when the queue is closed and empty. ``finished(_:)`` follows.
    func next() -> Job? {
        state.wait { state -> Job?? in
            if let job = state.jobs.take() {
                took(job, from: &state)
                return .some(job)
            }
            return state.isClosed && state.count == 0 ? .some(nil) : nil
        } ?? nil
    }

    /// A job that was taken is no longer under way.
    func finished(_ job: Job) { state.update { $0.jobs.finished(of: job.standing) } }

    /// Puts a job that was taken, and needs another turn, behind its program's others. It has been let in, so there is
    /// room for it, also when the queue is closed.
    func putBack(_ job: Job) {
        state.update { state in
            state.jobs.finished(of: job.standing)
            put(job, into: &state)
        }
    }

    /// Waits for jobs and takes those that are due, for as long as `admits` says so; none when the queue is closed and
    /// empty. Looks for a moment before it goes to sleep.
    ///
    /// - Parameter admits: whether a job goes together with those that were taken; the first always does.
    func take(_ spin: inout AdaptiveSpin, _ admits: (_ job: Job, _ taken: [Job]) -> Bool) -> [Job] {
        _ = spin.spin { hasJobs.load(ordering: .acquiring) }
        return state.wait { state -> [Job]? in
            guard state.count > 0 || state.isClosed else { return nil }
            var taken: [Job] = []
            while let job = state.jobs.take(where: { taken.isEmpty || admits($0, taken) }) {
                state.jobs.finished(of: job.standing)
                took(job, from: &state)
                taken.append(job)
            }
            return taken
        } ?? []
    }

    /// Whether anything waits, for a thread that could go on and need not.
    var isAwaited: Bool { hasJobs.load(ordering: .acquiring) }

    /// Takes no more jobs; those that wait are still handed out.
    func close() { state.update { $0.isClosed = true } }

    private func took(_ job: Job, from state: inout State) {
        state.count -= 1
        state.cost -= job.cost
        let own = state.costs[job.standing, default: 0] - job.cost
        state.costs[job.standing] = own > 0 ? own : nil
        hasJobs.store(state.count > 0, ordering: .releasing)
    }
}
