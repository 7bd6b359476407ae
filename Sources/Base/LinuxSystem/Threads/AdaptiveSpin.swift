import CLinux
import Glibc

/// Checks a condition a few times before the thread sleeps.
///
/// A wake-up on another processor costs 20 to 40 µs, several times the duration of a keychain request; a spinning
/// thread gets the result at once. Each check yields the processor, so that a thread that shares it with the answering
/// thread does not delay the answer. After an unsuccessful spin, spinning pauses for a while: twice as long each time.
/// Belongs to one thread at a time.
@usableFromInline package struct AdaptiveSpin: Sendable {
    private static let longestPause: UInt32 = 1 << 10

    /// The duration of a spin in nanoseconds.
    private let limit: UInt64
    private let firstPause: UInt32
    private var pause: UInt32 = 0
    private var nextPause: UInt32

    /// - Parameters:
    ///   - microseconds: the duration of a spin, about twice the expected time of an answer. A shorter sleep does
    ///     not pay.
    ///   - forgivesOne: whether one unsuccessful spin is followed by another spin without a pause. It suits events that
    ///     come in bursts, when no other thread spins meanwhile.
    package init(microseconds: UInt64 = 50, forgivesOne: Bool = false) {
        limit = microseconds * 1_000
        firstPause = forgivesOne ? 0 : 1
        nextPause = firstPause
    }

    /// Calls `look` until it returns true; false when the time is over, or when spinning pauses.
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

    /// The start of a spin; nil when spinning pauses or does not pay.
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

    /// Yields the processor; false when the time is over.
    @usableFromInline
    mutating func goesOn(since start: UInt64) -> Bool {
        sched_yield()
        if Clock.monotonicNanoseconds - start < limit { return true }
        (pause, nextPause) = (nextPause, min(max(1, 2 * nextPause), Self.longestPause))
        return false
    }

    /// With one processor, a spinning thread keeps the other one from working.
    private static let isWorthwhile = clinux_usable_processors() > 1
}
