import SyncFormat
import SyncMerging
import Testing

/// A batch names 256 logs at most.
@Suite("A machine that has read more logs than a batch can name")
struct ManyPositionsTests {
    private let circle = Simulation.scripted(4)
    private var reader: SimulatedMachine { circle.machines[0] }
    /// The one whose position comes first in a batch.
    private var remover: SimulatedMachine {
        let (one, other) = (circle.machines[1], circle.machines[3])
        return one.id < other.id ? one : other
    }
    private var hostile: SimulatedMachine { circle.machines[2] }

    /// A log that somebody in wrong hands writes.
    private final class Accomplice {
        let keys: SimulatedKeys
        private var seq: UInt64 = 0
        private var previous = BatchHash.none

        init(_ dice: Dice) { keys = SimulatedKeys(dice) }

        func state(_ statements: [SyncStatement], in circle: Simulation) {
            seq += 1
            let header = SyncHeader(
                circle: circle.transport.circle, device: keys.id, seq: seq, previous: previous, generation: .none,
                salt: keys.makeSalt())
            let batch = SyncBatch(header, statements, sealed: [], sealedHash: keys.hash([]), sign: keys.sign)
            previous = keys.hash(batch.signed)
            _ = circle.transport.commit(batch)
        }
    }

    private static let word = SyncStatement.want(GenerationID([1]))

    /// Accomplices of the hostile member, each of which has written a batch.
    private func accomplices(_ number: Int = 6) -> [Accomplice] {
        func make(_ count: Int) -> [Accomplice] { (0..<count).map { _ in Accomplice(circle.dice) } }
        let above = make(number)
        for one in above { hostile.replica.state(.add(Addition(one.keys.own))) }
        circle.publish(hostile)
        let below = above.map { one -> [Accomplice] in
            let others = make(50)
            one.state(others.map { .add(Addition($0.keys.own)) }, in: circle)
            return others
        }
        for one in below.joined() { one.state([Self.word], in: circle) }
        return above + below.joined()
    }

    @Test("It names what it has read of a removed member before others can take it to know of the removal")
    func removedFirst() throws {
        let all = accomplices()
        for machine in circle.machines { machine.pull(circle.transport, time: circle.time) }
        circle.settle(rounds: 3)
        for one in all { one.state([Self.word], in: circle) }
        let last = try #require(all.max { $0.keys.id < $1.keys.id })
        let others = circle.machines.dropFirst()
        for machine in others {
            machine.pull(circle.transport, time: circle.time)
            let end = machine.replica.logs[last.keys.id]?.seq ?? 0
            circle.transport.hide(last.keys.id, from: machine.id, after: end)
        }
        last.state([Self.word], in: circle)
        reader.pull(circle.transport, time: circle.time)
        remover.replica.state(.remove(last.keys.id, .user, kept: []))
        circle.publish(remover)
        for machine in circle.machines { machine.pull(circle.transport, time: circle.time) }
        #expect(circle.machines.allSatisfy { $0.replica.membership.removed == [last.keys.id] })
        circle.settle(rounds: 4)
        let end = reader.replica.logs[last.keys.id]?.seq
        for machine in circle.machines { #expect(machine.replica.logs[last.keys.id]?.seq == end) }
    }

    @Test("It has said all at last, also of more logs than readers keep")
    func ends() {
        _ = accomplices(26)
        reader.pull(circle.transport, time: circle.time)
        #expect(reader.replica.logs.count > SyncLimits.saidLogs + SyncLimits.members)
        reader.replica.acknowledge()
        for _ in 0..<40 where reader.replica.compose(reader.keys) != nil { circle.publish(reader) }
        #expect(reader.replica.compose(reader.keys) == nil)
    }
}
