import CLinux
import Glibc

/// Looks for something a few times before the thread goes to sleep over it.
///
/// To be woken on another processor costs 20 to 40 µs, several times what an answer of the keychain takes; who looks
/// meanwhile has it at once. Each look lets other threads run, so that one who shares the processor with whoever
/// answers does not keep it from answering. Where looking did not help, it is not done for a while: twice as long each
/// time. Belongs to one thread at a time.
@usableFromInline package struct AdaptiveSpin: Sendable {
    private static let longestPause: UInt32 = 1 << 10

    /// How long it looks, in nanoseconds.
    private let limit: UInt64
    private let firstPause: UInt32
    private var pause: UInt32 = 0
    private var nextPause: UInt32

    /// - Parameters:
    ///   - microseconds: how long it looks; about twice the time of an answer, if nothing else is known. A sleep that is shorter does
    ///     not pay.
    ///   - forgivesOne: whether it looks again after one look that did not help: for what comes in bursts, with nobody else who
    ///     looks meanwhile.
    package init(microseconds: UInt64 = 50, forgivesOne: Bool = false) {
        limit = microseconds * 1_000
        firstPause = forgivesOne ? 0 : 1
        nextPause = firstPause
    }

    /// Calls `look` until it finds something; false when there was nothing in time, or looking is not worth it now.
    @inlinable
    package mutating func spin<Failure: Error>(until look: () throws(Failure) -> Bool) throws(Failure) -> Bool {
        guard let start = begin() else { return false }
        repeat {
            if try look() {
                found()
                return true
            }
        } while goesOn(since: start)
        return false
    }

    /// The moment at which looking begins; nil when it is not worth it now.
    @usableFromInline
    mutating func begin() -> UInt64? {
        guard Self.isWorthwhile else { return nil }
        guard pause == 0 else {
            pause -= 1
            return nil
        }
        return Clock.monotonicNanoseconds
    }

    @usableFromInline
    mutating func found() { nextPause = firstPause }

    /// Lets others run; false when there was nothing in time.
    @usableFromInline
    mutating func goesOn(since start: UInt64) -> Bool {
        sched_yield()
        if Clock.monotonicNanoseconds - start < limit { return true }
        (pause, nextPause) = (nextPause, min(max(1, 2 * nextPause), Self.longestPause))
        return false
    }

    /// With one processor, whoever looks keeps the other from working.
    private static let isWorthwhile = clinux_usable_processors() > 1
}
