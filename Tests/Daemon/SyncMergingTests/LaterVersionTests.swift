import LinuxSystem
import SyncFormat
import SyncMerging
import Testing

@Suite("What a later release has written, or a machine whose time has not come")
struct LaterVersionTests {
    private static let later = SyncLimits.version + 1

    @Test("Reading stops before a batch that asks for a later version, and no other log waits for that")
    func batch() throws {
        let circle = Simulation.scripted(3)
        let (first, second, third) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.settle(rounds: 2)
        let head = second.replica.logs[first.id]?.seq
        let record = SimulatedMachine.record("mail", "of a later release", hlc: circle.time)
        let batch = circle.batch([record], least: Self.later, by: first)
        #expect(circle.transport.commit(batch))
        third.write("web", "of this release", time: circle.time)
        circle.publish(third)
        for _ in 0..<2 {
            second.pull(circle.transport, time: circle.time)
            #expect(second.replica.later == [first.id] && second.value("mail") == nil)
            #expect(second.replica.logs[first.id]?.seq == head && second.value("web") == "of this release")
            second.restart(time: circle.time)
        }
        second.write("mail", "of this release", time: circle.time)
        circle.publish(second)
        third.pull(circle.transport, time: circle.time)
        #expect(third.value("mail") == "of this release")
    }

    @Test("A batch of today's version is read where the same one of a later version is not")
    func todaysBatch() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let record = SimulatedMachine.record("mail", "of this release", hlc: circle.time)
        #expect(circle.transport.commit(circle.batch([record], least: SyncLimits.version, by: first)))
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.later.isEmpty && second.value("mail") == "of this release")
    }

    @Test("A snapshot with a part that asks for a later version is endorsed by nobody, and one of today's is")
    func snapshot() throws {
        let circle = Simulation.scripted(3)
        let (first, reader, author) = (circle.machines[0], circle.machines[1], circle.machines[2])
        first.write("mail", "value", time: circle.time)
        circle.settle(rounds: 3)
        for (least, isEndorsed) in [(Self.later, false), (SyncLimits.version, true)] {
            circle.announce(by: author, least: least)
            reader.pull(circle.transport, time: circle.time)
            let parts = circle.transport.parts(of: author.id, author.replica.logs[author.id]?.seq ?? 0)
            #expect(!parts.isEmpty && reader.replica.examine(parts, of: author.id, reader.keys) == isEndorsed)
        }
    }

    @Test("A record ahead of time whose author is removed waits on, and all merge it alike when its time has come")
    func aheadOfRemoved() {
        let circle = Simulation.scripted(4)
        let (first, gone, rest) = (circle.machines[0], circle.machines[3], Array(circle.machines.prefix(3)))
        let later = circle.time + 30 * 24 * 3_600_000_000
        gone.write("mail", "ahead of time", time: later)
        gone.write("web", "ahead of time", time: later)
        circle.publish(gone)
        // One of them reads it after the removal.
        for machine in rest.prefix(2) { machine.pull(circle.transport, time: circle.time) }
        circle.remove(gone, by: first)
        circle.settle(rounds: 3)
        first.write("mail", "today", time: circle.time)
        circle.settle(rounds: 3)
        for machine in rest {
            #expect(machine.replica.membership.removed == [gone.id] && machine.replica.futureCount == 2)
            #expect(machine.value("mail") == "today" && machine.value("web") == nil)
        }
        circle.time = later
        circle.settle(rounds: 3)
        for machine in rest {
            #expect(machine.replica.futureCount == 0)
            #expect(machine.value("mail") == "ahead of time" && machine.value("web") == "ahead of time")
            #expect(machine.replica.rows.live == first.replica.rows.live)
        }
        circle.finish()
        #expect(circle.check().isEmpty)
    }
}

/// A generation's number is one of 32 bits, and a member may take the last.
@Suite("The last number of a generation")
struct LastGenerationTests {
    /// A member in wrong hands makes keys with the last number.
    private static func circle(sharing shares: Bool) -> Simulation {
        let circle = Simulation.scripted(4)
        let hostile = circle.machines[3]
        circle.settle(rounds: 2)
        if !shares { hostile.keys.forgets = Set(circle.machines.map(\.id)) }
        let made = hostile.keys.makeGeneration(.max, for: hostile.replica.membership.recipients)
        if let made { hostile.replica.state(.generation(made)) }
        circle.publish(hostile)
        circle.settle(rounds: 3)
        return circle
    }

    @Test("No number follows it, and keys in use serve on; when its author is removed, numbers begin again")
    func removed() {
        for shares in [true, false] {
            let circle = Self.circle(sharing: shares)
            let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[3])
            for machine in [first, second] {
                #expect(machine.replica.membership.currentGeneration?.number == .max)
                #expect(machine.replica.membership.nextGeneration == nil)
            }
            first.write("mail", "before the removal", time: circle.time)
            circle.settle(rounds: 2)
            #expect(second.value("mail") == "before the removal")
            circle.remove(hostile, by: first)
            circle.settle(rounds: 3)
            second.write("web", "after it", time: circle.time)
            circle.settle(rounds: 2)
            for machine in circle.machines.prefix(3) {
                let current = machine.replica.membership.currentGeneration
                #expect(current?.number == 1 && machine.keys.holds(current?.id ?? .none))
                #expect(!hostile.keys.holds(current?.id ?? .none))
                #expect(machine.value("mail") == "before the removal" && machine.value("web") == "after it")
            }
        }
    }

    @Test("A member that holds its keys can be removed meanwhile, and numbers begin again")
    func removesAnother() {
        let circle = Self.circle(sharing: true)
        let (first, other) = (circle.machines[0], circle.machines[2])
        circle.remove(other, by: first)
        circle.settle(rounds: 3)
        let current = first.replica.membership.currentGeneration
        #expect(current?.number == 1 && !other.keys.holds(current?.id ?? .none))
        #expect(circle.machines[1].keys.holds(current?.id ?? .none))
    }
}
