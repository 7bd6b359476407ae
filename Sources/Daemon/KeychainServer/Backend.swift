import KeychainModel
import KeychainWire
import LinuxSystem

/// The threads that may block, so that no event loop does: one writer, a few workers, and two for those who watch.
final class Backend: Sendable {
    let writes: WorkQueue<WriteJob>
    let slow: WorkQueue<DeviceJob>
    let keys: WorkQueue<KeyJob>
    let watchers: StateWatchers
    let prompts: WorkQueue<PromptJob>
    let attendance: WorkQueue<Attendance>
    let identities: WorkQueue<RegistryJob>
    private let threads: [Thread]
    /// End the queues.
    private let closings: [@Sendable () -> Void]

    /// Starts the threads.
    ///
    /// - Throws: `SystemError` when there are too many threads already; those started have ended again.
    init(
        _ handler: any RequestHandler, _ registry: any CallerRegistry, limits: ServerLimits
    ) throws(SystemError) {
        let writes = WorkQueue<WriteJob>(room: limits.queuedWrites)
        let slow = WorkQueue<DeviceJob>(room: limits.queuedDevice)
        let keys = WorkQueue<KeyJob>(room: limits.queuedKeys)
        let watchers = StateWatchers(handler.stateEpoch, room: limits.watchers)
        let prompts = WorkQueue<PromptJob>(room: limits.queuedPrompts)
        let attendance = WorkQueue<Attendance>(room: limits.queuedAttendance)
        let identities = WorkQueue<RegistryJob>(room: limits.queuedIdentities)
        let closings = [
            writes.close, slow.close, keys.close, prompts.close, attendance.close, identities.close,
            watchers.close,
        ]
        var threads: [Thread] = []
        do throws(SystemError) {
            threads += try watchers.start(handler)
            threads.append(try Thread(named: "keychain-writer") { Self.commit(writes, with: handler) })
            for _ in 0..<limits.workers {
                threads.append(try Thread(named: "keychain-worker") { Self.work(slow, with: handler) })
            }
            for _ in 0..<limits.keyWorkers {
                threads.append(try Thread(named: "keychain-keys") { Self.work(keys, with: handler) })
            }
            for _ in 0..<limits.promptWorkers {
                threads.append(try Thread(named: "keychain-prompt") { Self.work(prompts, with: handler) })
            }
            for _ in 0..<limits.promptAttendants {
                threads.append(try Thread(named: "keychain-attend") { Self.attend(attendance, with: handler) })
            }
            for _ in 0..<limits.identityWorkers {
                threads.append(try Thread(named: "keychain-who") { Self.identify(identities, in: registry) })
            }
        } catch {
            for close in closings { close() }
            for thread in threads { thread.join() }
            throw error
        }
        (self.writes, self.slow, self.keys, self.watchers) = (writes, slow, keys, watchers)
        (self.prompts, self.attendance, self.identities) = (prompts, attendance, identities)
        (self.closings, self.threads) = (closings, threads)
    }

    /// Performs what waits, then ends the threads.
    func finish() {
        for close in closings { close() }
        for thread in threads { thread.join() }
    }

    /// Group commit: while one commit waits for the disk the next batch gathers, so writers share the disk's time.
    private static func commit(_ queue: WorkQueue<WriteJob>, with handler: any RequestHandler) {
        var shortWait = ShortWait(microseconds: timeToNextWrite, forgivesOne: true)
        while case let jobs = queue.take(&shortWait), !jobs.isEmpty {
            let batch = jobs.filter(isInTime)
            guard !batch.isEmpty else { continue }
            ReplyAddress.deliver(handler.commit(batch), to: batch.map(\.reply))
            handler.checkpointIfDue()
        }
        handler.maintain()
    }

    /// The next write of a program that waits for each comes within so many microseconds of the last one's answer. A processor
    /// that has gone to sleep meanwhile takes half as long to wake, and longer to be as fast as it was.
    private static let timeToNextWrite: UInt64 = 100

    /// Answers a write that waited too long; it is not performed.
    private static func isInTime(_ job: WriteJob) -> Bool {
        guard job.deadline.hasPassed else { return true }
        job.reply.deliver(Refusal.expired.frame(id: job.id))
        return false
    }

    private static func work<Job: WorkerJob>(_ queue: WorkQueue<Job>, with handler: any RequestHandler) {
        while let job = queue.take(atMost: 1).first { answer(job, with: handler) }
    }

    private static func answer(_ job: some WorkerJob, with handler: any RequestHandler) {
        guard !job.deadline.hasPassed else { return job.reply.deliver(Refusal.expired.frame(id: job.id)) }
        let writer = ResponseWriter()
        job.perform(with: handler, into: writer)
        job.reply.deliver(writer.buffer.finish())
    }

    private static func identify(_ queue: WorkQueue<RegistryJob>, in registry: any CallerRegistry) {
        while let job = queue.take(atMost: 1).first {
            switch job {
            case .identify(let job): job.perform()
            case .examine(let job): job.perform(with: registry)
            }
        }
    }

    private static func attend(_ queue: WorkQueue<Attendance>, with handler: any RequestHandler) {
        while let job = queue.take(atMost: 1).first {
            switch job {
            case .answer(let job): answer(job, with: handler)
            case .withdraw(let conversation): handler.withdraw(conversation)
            }
        }
    }
}
