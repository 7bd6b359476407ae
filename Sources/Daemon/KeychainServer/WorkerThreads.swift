import KeychainModel
import KeychainWire
import LinuxSystem

/// The threads that may block, so that no event loop does: one writer, a few workers, and two for each kind of
/// those who watch.
final class WorkerThreads: Sendable {
    let writes: WorkQueue<WriteJob>
    let searches: WorkQueue<SearchJob>
    let slow: WorkQueue<DeviceJob>
    let brief: WorkQueue<DeviceJob>
    let keys: WorkQueue<KeyJob>
    let watchers: StateWatchers
    /// Those who wait for something to carry.
    let carriers: StateWatchers
    /// Those who watch access groups.
    let groupWatchers: StateWatchers
    let prompts: WorkQueue<PromptJob>
    let attendance: WorkQueue<PromptControlJob>
    let identities: WorkQueue<RegistryJob>
    private let threads: [Thread]
    /// End the queues.
    private let closings: [@Sendable () -> Void]

    /// Starts the threads.
    ///
    /// - Throws: `SystemError` when there are too many threads already; those started have ended again.
    init(_ handler: any RequestHandler, _ registry: any CallerRegistry, limits: ServerLimits) throws(SystemError) {
        let writes = WorkQueue<WriteJob>(capacity: limits.queuedWrites, share: limits.queuedWritesOfProgram)
        let searches = WorkQueue<SearchJob>(
            capacity: limits.queuedSearches, share: limits.queuedSearchesOfProgram,
            running: Self.half(limits.searchWorkers))
        let slow = WorkQueue<DeviceJob>(
            capacity: limits.queuedDevice, share: limits.queuedDeviceOfProgram, running: Self.half(limits.workers),
            shared: max(1, limits.workers - 1))
        let brief = WorkQueue<DeviceJob>(capacity: limits.queuedDevice, share: limits.queuedDeviceOfProgram)
        let keys = WorkQueue<KeyJob>(
            capacity: limits.queuedKeys, share: limits.queuedKeysOfProgram, running: Self.half(limits.keyWorkers))
        let (watchers, carriers, groupWatchers) = StateWatchers.make(handler, limits)
        let prompts = WorkQueue<PromptJob>(
            capacity: limits.queuedPrompts, share: limits.queuedPromptsOfProgram,
            running: Self.half(limits.promptWorkers), shared: max(1, limits.promptWorkers - 1))
        // A prompt's end is never refused to a program that may have it.
        let attendance = WorkQueue<PromptControlJob>(
            capacity: limits.queuedAttendance, share: limits.queuedAttendance / 4)
        let identities = WorkQueue<RegistryJob>(
            capacity: limits.queuedIdentities, share: limits.queuedIdentitiesOfProgram, shared: limits.identitiesOfTurn)
        closings = [
            writes.close, searches.close, slow.close, brief.close, keys.close, prompts.close, attendance.close,
            identities.close, watchers.close, carriers.close, groupWatchers.close,
        ]
        let requestReaders = SearchReaders(handler)
        let groups: [Group] = [
            Group("writer", 1) { Self.commit(writes, with: handler, within: limits) },
            Group("search", limits.searchWorkers) { requestReaders.serve(searches) },
            Group("brief", limits.briefWorkers) { Self.work(brief, with: handler) },
            Group("worker", limits.workers) { Self.work(slow, with: handler) },
            Group("keys", limits.keyWorkers) { Self.work(keys, with: handler) },
            Group("prompt", limits.promptWorkers) { Self.work(prompts, with: handler) },
            Group("attend", limits.promptAttendants) { Self.attend(attendance, with: handler) },
            Group("who", limits.identityWorkers) { Self.identify(identities, in: registry) },
        ]
        threads = try Self.start(groups, and: [watchers, carriers, groupWatchers], with: handler, orElse: closings)
        (self.writes, self.searches, self.slow, self.brief, self.keys) = (writes, searches, slow, brief, keys)
        (self.watchers, self.carriers, self.groupWatchers) = (watchers, carriers, groupWatchers)
        (self.prompts, self.attendance, self.identities) = (prompts, attendance, identities)
    }

    /// Threads that do the same work.
    private struct Group {
        let name: String
        let count: Int
        let work: @Sendable () -> Void

        init(_ name: String, _ count: Int, _ work: @escaping @Sendable () -> Void) {
            (self.name, self.count, self.work) = (name, count, work)
        }
    }

    /// - Parameter closings: end the queues, and with them the threads, when one cannot be started.
    private static func start(
        _ groups: [Group], and watchers: [StateWatchers], with handler: any RequestHandler,
        orElse closings: [@Sendable () -> Void]
    ) throws(SystemError) -> [Thread] {
        var threads: [Thread] = []
        do throws(SystemError) {
            for watchers in watchers { threads += try watchers.start(handler) }
            for group in groups {
                for _ in 0..<group.count { threads.append(try Thread(named: "keychain-\(group.name)", group.work)) }
            }
            return threads
        } catch {
            for close in closings { close() }
            for thread in threads { thread.join() }
            throw error
        }
    }

    /// Answers those who watch, as it stands.
    func endWatches() { for watchers in [watchers, carriers, groupWatchers] { watchers.close() } }

    /// Forgets what a connection has watched.
    func forgetWatches(of wanted: Wanted) {
        for watchers in [watchers, carriers, groupWatchers] { watchers.forget(wanted) }
    }

    /// Performs what waits, then ends the threads.
    func finish() {
        for close in closings { close() }
        for thread in threads { thread.join() }
    }

    /// The part of so many threads that one program may have, so that another one never waits for all of them.
    private static func half(_ count: Int) -> Int { max(1, count / 2) }

    /// Group commit: while one commit waits for the disk the next batch gathers, so writers share the disk's time.
    private static func commit(
        _ queue: WorkQueue<WriteJob>, with handler: any RequestHandler, within limits: ServerLimits
    ) {
        var spin = AdaptiveSpin(microseconds: timeToNextWrite, forgivesOne: true)
        var slow = SlowWriters()
        while case let jobs = queue.take(&spin, { goesAlong($0, $1, slow, limits) }), !jobs.isEmpty {
            let batch = jobs.filter(isDue)
            guard !batch.isEmpty else { continue }
            let answers = slow.observe(batch) { handler.commit(batch) }
            ReplyAddress.deliver(answers, to: batch.map(\.reply))
            handler.checkpointIfDue()
        }
        handler.maintain()
    }

    /// Whether a write is part of the commit that others are in: of one program so many are, and what is large has its
    /// own. One that takes long is the only one of its kind.
    private static func goesAlong(
        _ job: WriteJob, _ others: [WriteJob], _ slow: borrowing SlowWriters, _ limits: ServerLimits
    ) -> Bool {
        guard !slow.contains(job) || !others.contains(where: slow.contains) else { return false }
        guard others.count < limits.commit, job.cost <= limits.largeWrite else { return false }
        guard let first = others.first, first.cost <= limits.largeWrite else { return false }
        return others.count { $0.standing == job.standing } < limits.commitOfProgram
    }

    /// The next write of a program that waits for each comes within so many microseconds of the last one's answer. A
    /// processor that has gone to sleep meanwhile takes half as long to wake, and longer to be as fast as it was.
    private static let timeToNextWrite: UInt64 = 100

    /// Whether a write is performed. One that waited too long is refused; one that looks through items is dropped when
    /// its program has gone.
    private static func isDue(_ job: WriteJob) -> Bool {
        guard job.request.operation == .add || job.isWanted.isSo else { return false }
        guard job.deadline.hasPassed else { return true }
        job.reply.deliver(Refusal.expired.frame(id: job.id))
        return false
    }

    private static func work<Job: WorkerJob>(_ queue: WorkQueue<Job>, with handler: any RequestHandler) {
        while let job = queue.next() {
            answer(job, with: handler)
            queue.finished(job)
        }
    }

    private static func answer(_ job: some WorkerJob, with handler: any RequestHandler) {
        guard job.isDue else { return }
        guard !job.deadline.hasPassed else { return job.reply.deliver(Refusal.expired.frame(id: job.id)) }
        let writer = ResponseWriter()
        job.perform(with: handler, into: writer)
        job.reply.deliver(writer.buffer.finish())
    }

    private static func identify(_ queue: WorkQueue<RegistryJob>, in registry: any CallerRegistry) {
        while let job = queue.next() {
            // Under way until it is answered, which may be long after.
            let end = { @Sendable in queue.finished(job) }
            switch job {
            case .identify(let job): job.begin(onEnd: end)
            case .examine(let job): job.begin(with: registry, onEnd: end)
            }
        }
    }

    /// For so long the end of a prompt that was withdrawn is waited for before it is withdrawn again: milliseconds.
    private static let pause = 20

    private static func attend(_ queue: WorkQueue<PromptControlJob>, with handler: any RequestHandler) {
        while let job = queue.next() {
            switch job {
            case .answer(let job): answer(job, with: handler)
            case .withdraw(let conversation, _):
                handler.withdraw(conversation)
                // Nobody could withdraw a prompt that is still on its way to the enclave.
                if !conversation.waitForEnd(by: .after(milliseconds: pause)) {
                    queue.putBack(job)
                    continue
                }
            case .tidy: Memory.giveBack()
            }
            queue.finished(job)
        }
    }
}
