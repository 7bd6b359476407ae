import KeychainModel
import LinuxSystem

/// Gathers the writes of several threads into transactions: group commit.
///
/// Whoever comes while nobody writes becomes the leader and performs everything that is waiting, its own among it; whoever
/// comes meanwhile waits for the next leader. One durable commit thus serves all who arrived during the one before.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [PendingWrite] = []
        var isLed = false
        /// Numbers the batches: a thread waits until the batch its writes went into is done.
        var opened: UInt64 = 1
        var done: UInt64 = 0
    }

    private let state = Monitor(State())
    /// Only the leader touches it; leadership passes under the monitor.
    private nonisolated(unsafe) let writer: ItemWriter

    init(_ writer: ItemWriter) { unsafe self.writer = writer }

    /// Performs the writes, or has them performed by another thread's transaction. Those that nobody has begun when their
    /// deadlines pass are refused.
    func perform(_ batch: [PendingWrite]) {
        let ticket = state.update { state in
            state.waiting += batch
            return state.opened
        }
        if isDone(ticket, by: batch.latestDeadline) { return }
        if withdraw(batch, ticket) { return batch.forEach { $0.refuse(.expired) } }
        _ = isDone(ticket, by: .never)
    }

    /// Runs something while nobody writes.
    func exclusively<Result>(_ body: (ItemWriter) -> Result) -> Result {
        state.wait { state -> Void? in
            guard !state.isLed else { return nil }
            state.isLed = true
            return ()
        }
        defer { state.update { $0.isLed = false } }
        return body(unsafe writer)
    }

    /// Takes writes back that no leader has taken yet; false when one has, who will soon be done.
    private func withdraw(_ batch: [PendingWrite], _ ticket: UInt64) -> Bool {
        state.update { state in
            guard state.opened == ticket else { return false }
            state.waiting.removeAll { waiting in batch.contains { $0 === waiting } }
            return true
        }
    }

    /// Waits until the batch is done or leadership is free; takes it and performs what waits. False when the deadline came
    /// before either.
    private func isDone(_ ticket: UInt64, by deadline: Deadline) -> Bool {
        let work = state.wait(deadline: deadline) { state -> [PendingWrite]? in
            if state.done >= ticket { return [] }
            guard !state.isLed else { return nil }
            state.isLed = true
            state.opened += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let work else { return false }
        guard !work.isEmpty else { return true }
        unsafe writer.perform(work)
        state.update { state in
            state.isLed = false
            state.done = state.opened - 1
        }
        return true
    }
}
