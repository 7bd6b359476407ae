import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// A write that waits for the next commit.
struct WriteJob: QueuedJob {
    let request: ItemRequest
    let caller: CallerIdentity
    let id: UInt32
    let deadline: Deadline
    let cost: Int
    let reply: ReplyAddress
}

/// A device request that waits for a worker.
struct DeviceJob: QueuedJob {
    let request: DeviceRequest
    let passcodes: [FileDescriptor]
    let id: UInt32
    let deadline: Deadline
    let reply: ReplyAddress

    var cost: Int { 1 }
}

/// The threads that may block, so that no event loop does: one writer and a few workers.
final class Backend: Sendable {
    let writes: WorkQueue<WriteJob>
    let slow: WorkQueue<DeviceJob>
    private let threads: [Thread]

    /// Starts the threads.
    ///
    /// - Throws: `SystemError` when there are too many threads already; those started have ended again.
    init(_ handler: any RequestHandler, limits: ServerLimits) throws(SystemError) {
        let writes = WorkQueue<WriteJob>(room: limits.queuedWrites)
        let slow = WorkQueue<DeviceJob>(room: limits.queuedDevice)
        var threads: [Thread] = []
        do throws(SystemError) {
            threads.append(try Thread(named: "keychain-writer") { Self.commit(writes, with: handler, limits) })
            for _ in 0..<limits.workers {
                threads.append(try Thread(named: "keychain-worker") { Self.work(slow, with: handler) })
            }
        } catch {
            Self.finish(writes, slow, threads)
            throw error
        }
        (self.writes, self.slow, self.threads) = (writes, slow, threads)
    }

    /// Performs what waits, then ends the threads.
    func finish() { Self.finish(writes, slow, threads) }

    private static func finish(_ writes: WorkQueue<WriteJob>, _ slow: WorkQueue<DeviceJob>, _ threads: [Thread]) {
        writes.close()
        slow.close()
        for thread in threads { thread.join() }
    }

    /// Group commit: while one commit waits for the disk the next batch gathers, so writers share the disk's time.
    private static func commit(
        _ queue: WorkQueue<WriteJob>, with handler: any RequestHandler, _ limits: ServerLimits
    ) {
        var writes = 0
        while case let jobs = queue.take(), !jobs.isEmpty {
            let batch = jobs.filter(isInTime)
            guard !batch.isEmpty else { continue }
            for (job, frame) in zip(batch, handler.commit(batch)) { job.reply.deliver(frame) }
            writes += batch.count
            handler.prepareForWrites()
            guard writes >= limits.writesBetweenMaintenance else { continue }
            handler.maintain()
            writes = 0
        }
        handler.maintain()
    }

    /// Answers a write that waited too long; it is not performed.
    private static func isInTime(_ job: WriteJob) -> Bool {
        guard job.deadline.hasPassed else { return true }
        job.reply.deliver(Refusal.expired.frame(id: job.id))
        return false
    }

    private static func work(_ queue: WorkQueue<DeviceJob>, with handler: any RequestHandler) {
        while let job = queue.take(atMost: 1).first {
            let isLate = job.deadline.hasPassed
            job.reply.deliver(isLate ? Refusal.expired.frame(id: job.id) : handler.answer(job))
        }
    }
}
