import LinuxSystem
import Synchronization

/// A thread that sleeps until keys have been out of use too long.
///
/// A use that comes later finds them closed anyway (``DeviceState/use()``); this is for the keys of a keychain that
/// nobody uses, which would otherwise stay in memory.
final class IdleWatch: Sendable {
    /// Moves when there is something new to look at.
    private let word = SharedWord()
    private let isEnded = Atomic(false)
    private let hasStarted = Atomic(false)

    /// Starts the thread, unless it runs.
    ///
    /// - Parameter look: looks at the clock, closes what has to be closed, and says after how many seconds to look
    ///   again; nil when there is nothing to wait for.
    /// - Throws: `SystemError` when there are too many threads.
    func start(_ look: @escaping @Sendable () -> UInt64?) throws(SystemError) {
        guard !hasStarted.exchange(true, ordering: .acquiringAndReleasing) else { return }
        do throws(SystemError) {
            _ = try Thread(named: "keychain-idle") { [self] in run(look) }
        } catch {
            hasStarted.store(false, ordering: .releasing)
            throw error
        }
    }

    private func run(_ look: () -> UInt64?) {
        while !isEnded.load(ordering: .acquiring) {
            let seen = word.load()
            let seconds = look()
            let deadline = seconds.map { Deadline.after(milliseconds: Int(clamping: $0) * 1000) } ?? .never
            _ = word.wait(while: seen, deadline: deadline)
        }
    }

    /// Has the thread look at the clock again.
    func look() {
        _ = word.add(1)
        word.wake()
    }

    /// Ends the thread.
    func end() {
        isEnded.store(true, ordering: .releasing)
        look()
    }
}
