import KeychainModel
import LinuxSystem

/// The one writer of an engine: one thread at a time has it.
final class WriterLock: Sendable {
    private let isTaken = Monitor(false)
    /// Only the thread that has taken the lock touches it.
    private nonisolated(unsafe) let writer: ItemWriter

    init(_ writer: ItemWriter) { unsafe self.writer = writer }

    /// Runs something while nobody else writes; nil when others wrote until the deadline.
    func exclusively<Result>(by deadline: Deadline, _ body: (ItemWriter) -> Result) -> Result? {
        let free: Void? = isTaken.wait(deadline: deadline) { isTaken in
            guard !isTaken else { return nil }
            isTaken = true
            return ()
        }
        guard free != nil else { return nil }
        defer { isTaken.update { $0 = false } }
        return body(unsafe writer)
    }
}
