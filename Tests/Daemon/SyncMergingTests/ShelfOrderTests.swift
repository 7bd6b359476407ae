import SyncFormat
import SyncMerging
import Testing

/// Records of shelves that members in wrong hands write, read in other orders.
@Suite("Shelves in any order")
struct ShelfOrderTests {
    private static let photos = SimulatedMachine.shelfRecord("photos")
    private static let days: UInt64 = 24 * 3_600_000_000

    @Test(
        "Of a shelf and its deletion with one stamp the deletion wins, whichever comes first",
        arguments: [true, false])
    func equalStamps(isShelfFirst: Bool) {
        let circle = Simulation.scripted(2)
        let (reader, author) = (circle.machines[0], circle.machines[1])
        let hlc = circle.time + 1
        let records = [author.shelf("photos", hlc: hlc), SimulatedMachine.deletedShelf("photos", hlc: hlc)]
        for record in isShelfFirst ? records : records.reversed() {
            circle.commitShelf(record, isBoxed: record.isShelf, by: author)
        }
        reader.pull(circle.transport, time: circle.time)
        #expect(reader.replica.rows[Self.photos]?.isTombstone == true && reader.replica.quarantined.isEmpty)
    }

    /// A circle in which two members have written versions of a few shelves, many of them with equal stamps.
    private static func history(_ seed: UInt64) -> Simulation {
        var plan = SimulationPlan()
        (plan.crashes, plan.wrongClocks) = (false, false)
        let circle = Simulation(seed: seed, plan)
        for _ in 0..<60 {
            let (name, author) = ("shelf \(circle.dice.below(4))", circle.dice.pick(Array(circle.machines[2...])))
            let day = circle.dice.chance(15) ? 2 * days : 0
            let hlc = circle.time + day + UInt64(circle.dice.below(12))
            let isGone = circle.dice.chance(45)
            let record = isGone ? SimulatedMachine.deletedShelf(name, hlc: hlc) : author.shelf(name, name, hlc: hlc)
            circle.commitShelf(record, isBoxed: !isGone, by: author)
        }
        return circle
    }

    /// Reads all batches in an order of its own, locked and unlocked in turn.
    private static func read(_ circle: Simulation, by reader: SimulatedMachine) {
        let deliveries = circle.transport.deliveries(to: reader.id, after: reader.replica.logs)
        for (slot, bytes) in circle.dice.shuffled(deliveries) {
            if circle.dice.chance(10) { circle.lock(reader) }
            _ = reader.replica.receive(bytes, in: slot, now: circle.time, reader.keys)
            if circle.dice.chance(5) { reader.restart(time: circle.time) }
        }
        if !reader.keys.isUnlocked { circle.lock(reader) }
        reader.pull(circle.transport, time: circle.time)
    }

    private static func shelves(of machine: SimulatedMachine) -> [String: String] {
        var found: [String: String] = [:]
        for name in (0..<4).map({ "shelf \($0)" }) {
            guard let row = machine.replica.rows[SimulatedMachine.shelfRecord(name)] else { continue }
            found[name] = "\(row.stamp) \(machine.key(of: name) ?? "gone")"
        }
        return found
    }

    @Test("Two machines that read the same batches in other orders have the same shelves", arguments: 1...24)
    func orders(seed: UInt64) {
        let circle = Self.history(seed)
        let readers = Array(circle.machines[..<2])
        for reader in readers { Self.read(circle, by: reader) }
        #expect(Self.shelves(of: readers[0]).count == 4)
        #expect(Self.shelves(of: readers[0]) == Self.shelves(of: readers[1]))
        for reader in readers { reader.replica.unlock(now: circle.time + 3 * Self.days, reader.keys) }
        #expect(readers.allSatisfy { $0.replica.futureCount == 0 && $0.replica.heldCount == 0 })
        #expect(Self.shelves(of: readers[0]) == Self.shelves(of: readers[1]))
    }
}
