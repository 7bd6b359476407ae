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

    @Test("Of two removals that an author has signed for one place the keys take the one that was noted")
    func twoForOnePlace() throws {
        let batches = [target, second].map { circle.stating([.remove($0.id, .user, kept: [])], by: remover) }
        circle.deliver(logOf: remover, to: first)
        first.replica.keepsBack = true
        for batch in batches { first.receive(try #require(batch.bytes), in: batch.slot, time: circle.time) }
        first.replica.keepsBack = false
        first.replica.unlock(now: circle.time, first.keys)
        #expect(first.keys.membership.removed.isEmpty)
        first.restart(time: circle.time)
        for batch in batches.reversed() { first.receive(try #require(batch.bytes), in: batch.slot, time: circle.time) }
        #expect(first.replica.doubted == [remover.id] && first.replica.membership.removed == [target.id])
        #expect(first.keys.membership.removed == [target.id])
    }

    @Test("What its keys have counted is read and repeated, also when the author contradicts itself meanwhile")
    func repeats() throws {
        let twin = circle.batch([], by: remover)
        crash()
        first.receive(try #require(twin.bytes), in: twin.slot, time: circle.time)
        circle.deliver(logOf: remover, to: first)
        #expect(first.replica.notedRemovals.isEmpty)
        first.write("mail", "late", time: circle.time)
        circle.settle(rounds: 4)
        for machine in [first, second] {
            #expect(machine.replica.membership.removed == [remover.id, target.id])
            #expect(machine.keys.membership.removed == machine.replica.membership.removed)
            #expect(machine.value("mail") == "late")
        }
    }

    /// The author of a removal has changed an item before others have deleted it, and has not read that.
    private func writeBeforeDeletion() {
        for account in ["mail", "web"] { first.write(account, "value", time: circle.time) }
        circle.settle(rounds: 3)
        circle.time += 1_000_000
        remover.write("mail", "its", time: circle.time)
        circle.time += 1_000_000
        circle.transport.hide(first.id, from: remover.id, after: first.replica.logs[first.id]?.seq ?? 0)
        first.write("mail", nil, time: circle.time)
        circle.publish(first)
        circle.time += 1_000_000
        target.write("web", nil, time: circle.time)
        circle.publish(target)
        remover.pull(circle.transport, time: circle.time)
        circle.commit([], naming: [circle.position(of: target, readBy: remover)], by: remover)
        for _ in 0..<3 { collect([first, second, target]) }
    }

    private func collect(_ machines: [SimulatedMachine]) {
        for machine in machines {
            machine.pull(circle.transport, time: circle.time)
            _ = machine.replica.collect()
            machine.replica.acknowledge()
            circle.publish(machine)
        }
    }

    @Test("It keeps the deletions of which the batch may have older versions")
    func keepsDeletions() {
        writeBeforeDeletion()
        #expect(remover.replica.rows["mail".recordID]?.isDirty == true)
        let others = [second, target]
        for machine in others + [first] {
            let end = machine.replica.logs[remover.id]?.seq ?? 0
            circle.transport.hide(remover.id, from: machine.id, after: end)
        }
        remover.replica.state(.remove(target.id, .user, kept: []))
        circle.publish(remover)
        circle.deliver(logOf: remover, to: first)
        let batch = circle.transport.last(of: remover.id)
        first.receive(batch.bytes, in: batch.slot, time: circle.time)
        first.crash(time: circle.time)
        #expect(first.replica.notedRemovals == [remover.id: batch.slot.seq])
        circle.remove(remover, by: second)
        for _ in 0..<3 { collect(others) }
        collect([first])
        circle.settle(rounds: 4)
        for machine in [first, second] {
            #expect(machine.replica.membership.removed == [remover.id, target.id])
            #expect(machine.value("mail") == nil)
        }
    }
}
