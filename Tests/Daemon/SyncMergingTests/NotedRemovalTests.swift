import SyncFormat
import SyncMerging
import Testing

/// The keys count a batch before the transaction ends that reads it.
@Suite("A machine that ends while it reads of a removal")
struct NotedRemovalTests {
    private let circle = Simulation.scripted(4)
    private var first: SimulatedMachine { circle.machines[0] }
    private var second: SimulatedMachine { circle.machines[1] }
    private var remover: SimulatedMachine { circle.machines[2] }
    private var target: SimulatedMachine { circle.machines[3] }

    /// The first machine has read of a removal and has ended. The remover was removed meanwhile.
    private func crash() {
        circle.remove(target, by: remover)
        circle.deliver(logOf: remover, to: first)
        first.crash(time: circle.time)
        circle.remove(remover, by: second)
    }

    @Test("It publishes nothing before it has read the batch again")
    func publishesNothing() {
        crash()
        #expect(first.keys.membership.removed == [target.id] && first.replica.membership.removed.isEmpty)
        circle.deliver(logOf: second, to: first)
        first.write("mail", "early", time: circle.time)
        #expect(first.replica.compose(first.keys) == nil && !first.replica.makeSnapshot(first.keys))
    }

    @Test("The removal counts everywhere, also where the machine reads first that its author was removed")
    func readAgain() {
        crash()
        circle.deliver(logOf: second, to: first)
        first.write("mail", "late", time: circle.time)
        circle.settle(rounds: 3)
        for machine in [first, second] {
            #expect(machine.replica.membership.removed == [remover.id, target.id])
            #expect(machine.keys.membership.removed == machine.replica.membership.removed)
            #expect(machine.value("mail") == "late" && machine.replica.notedRemovals.isEmpty)
        }
    }

    @Test("It goes on when the author contradicts itself meanwhile, whose log nobody reads further")
    func contradiction() throws {
        let twin = circle.batch([], by: remover)
        crash()
        first.receive(try #require(twin.bytes), in: twin.slot, time: circle.time)
        circle.deliver(logOf: remover, to: first)
        first.write("mail", "late", time: circle.time)
        #expect(first.replica.notedRemovals.isEmpty)
    }
}
