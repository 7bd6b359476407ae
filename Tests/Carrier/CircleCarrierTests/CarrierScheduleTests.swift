import CircleCarrier
import Testing

/// Milliseconds of a clock of this test's own.
@Suite("When a carrier goes round")
struct CarrierScheduleTests {
    private func rested(at now: UInt64 = 100_000, _ end: CarrierSchedule.End = .success) -> CarrierSchedule {
        var schedule = CarrierSchedule(now: 0)
        schedule.begin()
        schedule.end(at: now, end, chance: 0)
        return schedule
    }

    @Test("The first round is due at once")
    func first() { #expect(CarrierSchedule(now: 7).next == 7) }

    @Test("Changes are gathered for two seconds, and for ten at most")
    func gathers() {
        var schedule = rested()
        schedule.noteChange(at: 200_000)
        #expect(schedule.next == 202_000)
        schedule.noteChange(at: 201_500)
        #expect(schedule.next == 203_500)
        for now in stride(from: UInt64(202_000), through: 209_500, by: 500) { schedule.noteChange(at: now) }
        #expect(schedule.next == 210_000)
    }

    @Test("The user does not wait, and an arrival waits a second after the round before")
    func hurries() {
        var schedule = rested()
        schedule.noteArrival()
        #expect(schedule.next == 101_000)
        schedule.noteWish(at: 100_001)
        #expect(schedule.next == 100_001)
    }

    @Test("Without news a round is due after a quarter of an hour, at different moments for different machines")
    func polls() {
        var moments: Set<UInt64> = []
        for chance in stride(from: UInt64(0), to: 225_000, by: 25_000) {
            var schedule = CarrierSchedule(now: 0)
            schedule.end(at: 0, .success, chance: chance)
            moments.insert(schedule.next)
        }
        #expect(moments.count == 9 && moments.allSatisfy { (787_500...1_012_500).contains($0) })
    }

    @Test("A day without news has at most 110 rounds", arguments: [UInt64(0), 112_500, 224_999])
    func quietDay(chance: UInt64) {
        var (schedule, now, rounds) = (CarrierSchedule(now: 0), UInt64(0), 0)
        while schedule.next < 86_400_000 {
            now = schedule.next
            schedule.begin()
            schedule.end(at: now, .success, chance: chance)
            rounds += 1
        }
        #expect((84...110).contains(rounds), "\(rounds) rounds")
    }

    @Test("Failures are repeated later each time, and no change of the keychain makes them more frequent")
    func backsOff() {
        var (schedule, now, pauses) = (CarrierSchedule(now: 0), UInt64(0), [UInt64]())
        for _ in 0..<20 {
            schedule.begin()
            schedule.end(at: now, .placeIsAway, chance: 0)
            schedule.noteChange(at: now)
            pauses.append(schedule.next - now)
            now = schedule.next
        }
        #expect(pauses[0] < 5_001 && pauses == pauses.sorted() && pauses[19] == 787_500)
        schedule.begin()
        schedule.end(at: now, .success, chance: 0)
        schedule.noteChange(at: now)
        #expect(schedule.next == now + 2_000)
    }

    @Test("A server that has failed is left alone for as long, whatever it says, but not when the user asks")
    func leavesAlone() {
        var schedule = rested(.serverFails)
        schedule.noteArrival()
        #expect(schedule.next == 104_375)
        schedule.noteWish(at: 100_500)
        #expect(schedule.next == 100_500)
        schedule.begin()
        schedule.end(at: 100_600, .success, chance: 0)
        schedule.noteArrival()
        #expect(schedule.next == 101_600)
    }

    @Test("News that are lost start a round after five seconds, and later each time until the transport waits again")
    func losesNews() {
        var (schedule, now, pauses) = (rested(), UInt64(100_000), [UInt64]())
        func lose() {
            schedule.noteLoss(at: now)
            pauses.append(schedule.next - now)
            now = schedule.next
            schedule.begin()
            schedule.end(at: now, .success, chance: 0)
        }
        for _ in 0..<12 { lose() }
        #expect(pauses.prefix(3) == [5_000, 10_000, 20_000] && pauses.last == 787_500)
        schedule.noteArrival()
        lose()
        #expect(pauses.last == 1_000, "what has come is looked at")
        lose()
        #expect(pauses.last == 787_500, "a connection that opens and ends again is no better")
        now += 2_000_000
        schedule.end(at: now, .success, chance: 0)
        lose()
        #expect(pauses.last == 5_000)
    }

    @Test("News that are lost bring no server back sooner")
    func losesNewsOfServer() {
        var schedule = rested(.serverFails)
        schedule.noteLoss(at: 100_000)
        #expect(schedule.next == 104_375)
        schedule.noteLoss(at: 104_000)
        #expect(schedule.next == 104_375)
    }

    @Test("After a failure, the user or a folder that may be back starts a round")
    func returns() {
        var schedule = rested(.placeIsAway)
        schedule.noteArrival()
        #expect(schedule.next == 101_000)
        schedule.noteWish(at: 100_500)
        #expect(schedule.next == 100_500)
    }
}
