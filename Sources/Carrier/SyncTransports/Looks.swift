package import LinuxSystem
package import SyncFormat

/// When a place is looked at that does not tell of changes. Times are milliseconds of a clock that does not go back.
///
/// A look follows the one before after a minute, where something has changed within ten minutes. Later it follows after
/// a tenth of the time since the last change. From a quarter of an hour on, the carrier's own rounds are enough.
struct LookSchedule: Sendable {
    private var lastLook: UInt64
    private var lastChange: UInt64
    /// The last batch of each log, as the last look has found it.
    private var ends: [MemberID: UInt64]?

    private static let shortest: UInt64 = 60_000
    private static let longest: UInt64 = 900_000
    private static let share: UInt64 = 10

    /// Somebody has just started a program that looks.
    init(now: UInt64) { (lastLook, lastChange) = (now, now) }

    /// When the next look is due; nil where the carrier's own rounds are enough.
    var next: UInt64? {
        let quiet = lastLook > lastChange ? lastLook - lastChange : 0
        let pause = max(quiet / Self.share, Self.shortest)
        return pause < Self.longest ? lastLook + pause : nil
    }

    /// Whether a look is due. It is not due again before the next one, whatever comes of it.
    mutating func take(at now: UInt64) -> Bool {
        guard let next, next <= now else { return false }
        lastLook = now
        return true
    }

    mutating func noteLook(at now: UInt64, _ found: [MemberID: UInt64]) {
        lastLook = now
        if let ends, ends != found { lastChange = now }
        ends = found
    }

    /// This machine has changed something: others may answer.
    mutating func noteCommit(at now: UInt64, _ slot: SyncSlot) {
        lastChange = now
        if slot.part == nil { ends?.merge([slot.device: slot.seq], uniquingKeysWith: max) }
    }
}

/// The looks at a place, which threads note and wait for.
package final class Looks: Sendable {
    private let schedule: Monitor<LookSchedule>
    private let clock: @Sendable () -> UInt64

    /// - Parameter clock: milliseconds that do not go back.
    package init(clock: @escaping @Sendable () -> UInt64 = { Clock.monotonicNanoseconds / 1_000_000 }) {
        self.clock = clock
        schedule = Monitor(LookSchedule(now: clock()))
    }

    package var now: UInt64 { clock() }

    /// When the next look is due; nil where the carrier's own rounds are enough.
    package var next: UInt64? { schedule.update { $0.next } }

    /// Whether a look is due. It is not due again before the next one, whatever comes of it.
    package func take() -> Bool {
        let now = now
        return schedule.update { $0.take(at: now) }
    }

    /// A look has found these to be the last batches of the logs.
    package func noteLook(_ ends: [MemberID: UInt64]) {
        let now = now
        schedule.update { $0.noteLook(at: now, ends) }
    }

    /// This machine has created a slot.
    package func noteCommit(_ slot: SyncSlot) {
        let now = now
        schedule.update { $0.noteCommit(at: now, slot) }
    }

    /// Waits for the time of the next look.
    ///
    /// - Returns: false when the deadline came first.
    package func wait(until deadline: Deadline) -> Bool {
        while true {
            if take() { return true }
            let next = next
            let limit = min(deadline, self.deadline(of: next))
            guard schedule.wait(deadline: limit, { $0.next == next ? nil : true }) == nil else { continue }
            if deadline.hasPassed { return false }
        }
    }

    /// The moment of this clock's time; never for none.
    package func deadline(of time: UInt64?) -> Deadline {
        guard let time else { return .never }
        let now = now
        return .after(milliseconds: time > now ? Int(clamping: time - now) : 0)
    }
}
