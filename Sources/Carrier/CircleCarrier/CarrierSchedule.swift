/// When a carrier goes round next. Times are milliseconds of a clock that does not go back.
///
/// * The user does not wait. The transport waits until a second after the round before.
/// * A change of the keychain waits for two seconds without another change, and for ten at most.
/// * Without news there is a round after a quarter of an hour, a little more or less.
/// * A round that failed is repeated after five seconds, then after twice as long each time, at most a quarter of an
///   hour. A server that has failed is left alone that long, whatever it says meanwhile.
/// * After the transport could not wait for news there is a round as early: it looks, and connects once more. News in
///   between do not shorten that. Half an hour without such a loss does.
package struct CarrierSchedule: Sendable {
    private var lastEnd: UInt64
    /// When a round is due even if nothing happens.
    private var due: UInt64
    /// No change of the keychain starts a round before.
    private var backsOffUntil: UInt64 = 0
    /// No news of the transport starts one before.
    private var hearsNothingUntil: UInt64 = 0
    private var failures = 0
    private var losses = 0
    private var lastLoss: UInt64 = 0
    private var firstChange: UInt64?
    private var lastChange: UInt64 = 0
    private var isTold = false

    private static let quiet: UInt64 = 2_000
    private static let longestGathering: UInt64 = 10_000
    private static let breath: UInt64 = 1_000
    private static let poll: UInt64 = 900_000
    private let firstPause: UInt64

    /// The first round is due at once.
    package init(now: UInt64, firstPause: UInt64 = 5_000) {
        (lastEnd, due, self.firstPause) = (now, now, firstPause)
    }

    /// When the next round begins.
    package var next: UInt64 {
        var next = due
        if let firstChange {
            let gathered = min(lastChange + Self.quiet, firstChange + Self.longestGathering)
            next = min(next, max(gathered, backsOffUntil))
        }
        if isTold { next = min(next, max(lastEnd + Self.breath, hearsNothingUntil)) }
        return next
    }

    /// The keychain has something to say.
    package mutating func noteChange(at now: UInt64) {
        firstChange = firstChange ?? now
        lastChange = now
    }

    /// The transport has something, or works again.
    package mutating func noteArrival() { isTold = true }

    /// The transport cannot wait for news. The round that follows says whether it works at all.
    package mutating func noteLoss(at now: UInt64) {
        losses = now - min(now, lastLoss) > 2 * Self.poll ? 1 : losses + 1
        lastLoss = now
        due = min(due, max(now + pause(after: losses), hearsNothingUntil))
    }

    /// The user wants a round.
    package mutating func noteWish(at now: UInt64) { due = min(due, now) }

    /// A round begins: what comes from now on is for the next one.
    package mutating func begin() { (firstChange, isTold) = (nil, false) }

    /// How a round has ended.
    package enum End: Sendable {
        case success
        /// A folder is not there, or does not work. News of it says that it may be back.
        case placeIsAway
        /// A server does not answer, or says no.
        case serverFails
    }

    /// A round has ended.
    ///
    /// - Parameter chance: a random number, by which machines do not ask in step.
    package mutating func end(at now: UInt64, _ end: End, chance: UInt64) {
        lastEnd = now
        let isFailure = end != .success
        failures = isFailure ? failures + 1 : 0
        let pause = isFailure ? pause(after: failures) : Self.poll
        due = now + pause - pause / 8 + chance % (pause / 4)
        backsOffUntil = isFailure ? due : 0
        hearsNothingUntil = end == .serverFails ? due : 0
    }

    private func pause(after failures: Int) -> UInt64 { min(firstPause << UInt64(min(failures - 1, 16)), Self.poll) }

    /// Another round is to follow at once.
    package mutating func goOn(at now: UInt64) { due = now }
}
