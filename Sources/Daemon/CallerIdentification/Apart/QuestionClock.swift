import LinuxSystem
import Synchronization

/// How long a session of the identifier has been at a question.
///
/// A program decides what its file lies on, and a file system can answer never. The thread that looks at such a file is lost, and with
/// it the way of a whole keychain; only the end of the process gives both back.
package final class QuestionClock: Sendable {
    /// When the question came, on the monotonic clock in nanoseconds; 0 while there is none.
    private let begin = Atomic(0 as UInt64)
    private let hasEnded = Atomic(false)
    private let patience: UInt64

    /// How long an answer is waited for: milliseconds. A large program is read from a slow disk.
    package static let patience = 20_000

    package init(patience milliseconds: Int = QuestionClock.patience) {
        patience = UInt64(milliseconds) * 1_000_000
    }

    /// Whether nobody waits for the answer any more.
    package var isStuck: Bool {
        let begin = begin.load(ordering: .relaxed)
        return begin != 0 && Clock.monotonicNanoseconds > begin + patience
    }

    /// Whether the session is over.
    package var isOver: Bool { hasEnded.load(ordering: .relaxed) }

    package func during<Result>(_ body: () -> Result) -> Result {
        begin.store(Clock.monotonicNanoseconds, ordering: .relaxed)
        defer { begin.store(0, ordering: .relaxed) }
        return body()
    }

    func end() { hasEnded.store(true, ordering: .relaxed) }
}
