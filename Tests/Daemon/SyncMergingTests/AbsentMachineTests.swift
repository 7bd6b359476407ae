import SyncFormat
import SyncMerging
import Testing

/// A machine that nobody has switched on for a year.
@Suite("A machine that was away for a year")
struct AbsentMachineTests {
    private static let week: UInt64 = 7 * 24 * 3_600_000_000
    private let circle = Simulation.scripted(3)
    private var first: SimulatedMachine { circle.machines[0] }
    private var second: SimulatedMachine { circle.machines[1] }
    private var absent: SimulatedMachine { circle.machines[2] }

    init() {
        for number in 0..<20 { first.write("account \(number)", "before", time: circle.time) }
        circle.settle(rounds: 2)
        absent.write("its own", "unsent", time: circle.time)
        absent.write("account 1", "changed before it left", time: circle.time)
        passYear()
    }

    /// Two machines change or delete an item each week.
    private func passYear() {
        for number in 1...52 {
            circle.time += Self.week
            let author = number.isMultiple(of: 2) ? first : second
            author.write("account \(number % 20)", number % 7 == 0 ? nil : "week \(number)", time: circle.time)
            circle.exchange(from: first, to: second)
            circle.exchange(from: second, to: first)
            for machine in [first, second] { _ = machine.replica.collect() }
        }
    }

    private var tombstones: Int { first.replica.rows.all.values.count(where: \.isTombstone) }

    @Test("It gets all changes and deletions of the year, and what it had not sent arrives")
    func comesBack() {
        #expect(tombstones > 0 && absent.value("account 2") == "before")
        let before = first.replica.rows.live.count
        circle.settle(rounds: 6)
        for machine in circle.machines { #expect(machine.replica.rows.live == first.replica.rows.live) }
        #expect(first.replica.rows.live.count == before + 1 && second.value("its own") == "unsent")
    }

    @Test("Its older change replaces nothing that the others have changed since")
    func olderChange() {
        let newer = first.value("account 1")
        #expect(newer != "before")
        circle.settle(rounds: 6)
        for machine in circle.machines { #expect(machine.value("account 1") == newer) }
    }

    @Test("Tombstones wait for it, and are collected when it has read them")
    func tombstonesWait() {
        #expect(tombstones > 0)
        for _ in 0..<3 {
            circle.settle(rounds: 2)
            for machine in circle.machines { _ = machine.replica.collect() }
        }
        #expect(tombstones == 0)
    }
}
