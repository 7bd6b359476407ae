import SyncFormat
import SyncMerging
import Testing

@Suite("A machine that goes on under another name")
struct CloneTests {
    /// Two machines, each with a version of one item that has the same time. The second one has read the first's, and
    /// its own has won.
    private static func tied() -> (winner: SimulatedMachine, loser: SimulatedMachine, circle: Simulation) {
        let circle = Simulation.scripted(2)
        let machines = circle.machines.sorted { $0.id < $1.id }
        for machine in machines { machine.write("mail", "of \(machine.id)", time: circle.time) }
        circle.publish(machines[0])
        machines[1].pull(circle.transport, time: circle.time)
        return (machines[1], machines[0], circle)
    }

    @Test("Its unpublished change still wins over what it had won over, however small the new name is")
    func winsUnderSmallerName() throws {
        let (winner, loser, circle) = Self.tied()
        let lost = try #require(loser.replica.rows["mail".recordID]).stamp
        #expect(try #require(winner.replica.rows["mail".recordID]).stamp > lost)
        var next = SimulatedKeys(circle.dice, after: winner.keys)
        while next.id > loser.id { next = SimulatedKeys(circle.dice, after: winner.keys) }
        winner.replica.become(next.id)
        let row = try #require(winner.replica.rows["mail".recordID])
        #expect(row.stamp > lost && row.record.hlc == row.stamp.hlc)
    }
}
