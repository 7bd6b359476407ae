import KeychainModel
import LinuxSystem

/// The one writer of an engine. One thread at a time has it, in the order of arrival: a thread that takes it again and
/// again would otherwise keep the others from it.
final class WriterLock: Sendable {
    private struct State {
        var isTaken = false
        /// The numbers of those who wait, and the last one given.
        var waiting: [UInt64] = []
        var last: UInt64 = 0
    }

    private let state = Monitor(State())
    /// Only the thread that has taken the lock touches it.
    private nonisolated(unsafe) let writer: ItemWriter

    init(_ writer: ItemWriter) { unsafe self.writer = writer }

    /// Runs something while nobody else writes; nil when others wrote until the deadline.
    func exclusively<Result>(by deadline: Deadline, _ body: (ItemWriter) -> Result) -> Result? {
        guard take(by: deadline) else { return nil }
        defer { state.update { $0.isTaken = false } }
        return body(unsafe writer)
    }

    private func take(by deadline: Deadline) -> Bool {
        guard let number = queue() else { return true }
        let hasIt: Bool? = state.wait(deadline: deadline) { state in
            guard !state.isTaken, state.waiting.first == number else { return nil }
            state.waiting.removeFirst()
            state.isTaken = true
            return true
        }
        if hasIt == nil { state.update { state in state.waiting.removeAll { $0 == number } } }
        return hasIt ?? false
    }

    /// The number of who has to wait; nil for who has it at once.
    private func queue() -> UInt64? {
        state.update { state in
            guard state.isTaken || !state.waiting.isEmpty else {
                state.isTaken = true
                return nil
            }
            state.last += 1
            state.waiting.append(state.last)
            return state.last
        }
    }
}
