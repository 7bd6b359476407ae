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

    /// Performs the writes, or has them performed by another thread's transaction.
    func perform(_ batch: [PendingWrite]) {
        let ticket = state.update { state in
            state.waiting += batch
            return state.opened
        }
        while !isDone(ticket) {}
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

    /// Waits until the batch is done or leadership is free; takes it and performs what waits.
    private func isDone(_ ticket: UInt64) -> Bool {
        let work = state.wait { state -> [PendingWrite]? in
            if state.done >= ticket { return [] }
            guard !state.isLed else { return nil }
            state.isLed = true
            state.opened += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let work, !work.isEmpty else { return true }
        unsafe writer.perform(work)
        state.update { state in
            state.isLed = false
            state.done = state.opened - 1
        }
        return true
    }
}
