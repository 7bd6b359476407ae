import CircleCarrier
import LinuxSystem
import ObjectTransport
import SyncTransports
import TestSupport
import Testing

@Suite("A day of a carrier at an object store")
struct ObjectDayTests {
    private let bucket: Bucket
    private let time = Monitor<UInt64>(0)
    init() throws { bucket = try Bucket() }

    private static let minute: UInt64 = 60_000

    /// The moments of a carrier's rounds in a day, in which others commit at some.
    private func rounds(_ commits: [UInt64] = []) throws -> [UInt64] {
        let machine = try bucket.machine(looks: Looks { [time] in time.update { $0 } })
        let other = try bucket.machine()
        var (schedule, moments) = (CarrierSchedule(now: 0), [UInt64]())
        for now in stride(from: UInt64(0), to: 1440 * Self.minute, by: 10_000) {
            time.update { $0 = now }
            if let number = commits.firstIndex(of: now) {
                _ = try other.commit([1], in: bucket.slot(bucket.second, UInt64(number) + 1))
            }
            if try machine.wait(until: .now) { schedule.noteArrival() }
            guard schedule.next <= now else { continue }
            schedule.begin()
            _ = try machine.changes(after: [:], atMost: 1)
            schedule.end(at: now, .success, chance: 112_500)
            moments.append(now)
        }
        return moments
    }

    @Test("Without news there are four rounds an hour, when some at the start are over")
    func quiet() throws {
        let rounds = try rounds()
        #expect((100...140).contains(rounds.count), "\(rounds.count) rounds")
        let late = rounds.count { $0 >= 180 * Self.minute }
        #expect((21 * 4 - 1...21 * 4 + 1).contains(late), "\(late) rounds in 21 hours")
    }

    @Test("After what another machine commits, the store is asked each minute for ten")
    func busy() throws {
        let change = 720 * Self.minute
        let rounds = try rounds([change])
        let found = try #require(rounds.first { $0 >= change })
        #expect(found - change <= 15 * Self.minute)
        #expect(rounds.count { (found...found + 10 * Self.minute).contains($0) } == 11)
        #expect(rounds.count <= 180, "\(rounds.count) rounds")
    }
}
