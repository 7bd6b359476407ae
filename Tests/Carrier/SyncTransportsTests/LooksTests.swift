import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// Milliseconds of a clock of this test's own.
@Suite("When a place is looked at that tells of nothing")
struct LooksTests {
    private let time = Monitor<UInt64>(0)
    private let looks: Looks
    private let one = MemberID(number: 1)

    init() { looks = Looks { [time] in time.update { $0 } } }

    private static let minute: UInt64 = 60_000

    /// Looks whenever one is due, until a time.
    private func looked(until end: UInt64, _ ends: [MemberID: UInt64] = [:]) -> [UInt64] {
        var moments: [UInt64] = []
        while let next = looks.next, next < end {
            time.update { $0 = next }
            moments.append(next)
            looks.noteLook(ends)
        }
        time.update { $0 = end }
        return moments
    }

    @Test("Each minute after a change, later each time from ten minutes on, and after hours no more")
    func backsOff() {
        let first = looked(until: 10 * Self.minute)
        #expect(first == (1...9).map { $0 * Self.minute })
        let rest = looked(until: 1440 * Self.minute)
        let pauses = zip(rest.dropFirst(), rest).map { $0 - $1 }
        #expect(pauses == pauses.sorted() && pauses.allSatisfy { $0 < 15 * Self.minute })
        #expect((20...40).contains(rest.count), "\(rest.count) looks")
        #expect(looks.next == nil)
    }

    @Test("A log that is longer than at the look before, and a commit, begin the minutes again")
    func returns() {
        _ = looked(until: 600 * Self.minute)
        #expect(looks.next == nil)
        looks.noteLook([one: 1])
        #expect(looks.next == 601 * Self.minute)
        _ = looked(until: 1200 * Self.minute, [one: 1])
        looks.noteLook([one: 1])
        #expect(looks.next == nil, "nothing is new")
        looks.noteCommit(SyncSlot(circle: CircleID(number: 1), device: one, seq: 2))
        #expect(looks.next == 1201 * Self.minute)
        _ = looked(until: 1400 * Self.minute, [one: 2])
        #expect(looks.next == nil, "its own batch is no news")
    }

    @Test("A wait ends when a look is due, also one that a commit makes due, and else with its deadline")
    func waits() throws {
        #expect(!looks.wait(until: .now))
        time.update { $0 = Self.minute }
        #expect(looks.wait(until: .never))
        _ = looked(until: 600 * Self.minute)
        #expect(!looks.wait(until: .after(milliseconds: 1)))
        let waiting = Monitor<Bool?>(nil)
        let thread = try Thread(named: "waiting") { [looks] in
            let isDue = looks.wait(until: soon)
            waiting.update { $0 = isDue }
        }
        // The last look is long past by then.
        time.update { $0 = 601 * Self.minute }
        looks.noteCommit(SyncSlot(circle: CircleID(number: 1), device: one, seq: 1))
        #expect(waiting.wait(deadline: soon) { $0 } == true)
        thread.join()
    }
}
