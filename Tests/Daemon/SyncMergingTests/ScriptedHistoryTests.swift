import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging
import Testing

/// Histories that chance alone finds too seldom.
@Suite("Scripted circles")
struct ScriptedHistoryTests {
    @Test("Two machines that change one password have the later change, and the other is kept")
    func onePassword() {
        let circle = Simulation.scripted(2)
        circle.machines[0].write("mail", "first", time: circle.time)
        circle.machines[1].write("mail", "second", time: circle.time + 60_000_000)
        circle.settle(rounds: 2)
        for machine in circle.machines { #expect(machine.value("mail") == "second") }
        #expect(circle.machines[1].replica.rows.losers.count == 1)
    }

    /// A deletes what both know and collects the tombstone; its clock is slow when it adds the item again.
    private static func slowClock(_ rules: MergeRules) -> Simulation {
        let circle = Simulation.scripted(2, rules)
        let (first, second) = (circle.machines[0], circle.machines[1])
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        first.write("mail", nil, time: circle.time + 3_600_000_000)
        circle.settle(rounds: 2)
        for _ in 0..<3 {
            _ = first.replica.collect()
            if rules.everyMemberAcknowledges { _ = second.replica.collect() }
            first.sync()
            second.sync()
            if rules.everyMemberAcknowledges { circle.settle(rounds: 2) }
            if first.replica.rows.all.isEmpty { break }
        }
        first.write("mail", "again", time: circle.time)
        circle.settle(rounds: 2)
        return circle
    }

    @Test("An item that is added again by a slow clock after its tombstone has gone is there everywhere")
    func floor() {
        for machine in Self.slowClock(.all).machines { #expect(machine.value("mail") == "again") }
        var rules = MergeRules.all
        rules.floorRaisesStamps = false
        let values = Self.slowClock(rules).machines.map { $0.value("mail") }
        #expect(values != ["again", "again"])
    }

    /// The third machine's record is older than what its author has stated, and the second still has the tombstone.
    private static func staleRecord(_ rules: MergeRules) -> Simulation {
        let circle = Simulation.scripted(3, rules)
        let rid = "mail".recordID
        circle.machines[0].write("mail", "old", time: circle.time)
        circle.settle(rounds: 3)
        circle.machines[0].write("mail", nil, time: circle.time)
        circle.settle(rounds: 3)
        for machine in circle.machines { _ = machine.replica.collect() }
        circle.settle(rounds: 3)
        _ = circle.machines[0].replica.collect()
        _ = circle.machines[2].replica.write(rid, now: circle.time) { _ in
            SimulatedMachine.record("mail", "stale", hlc: 1_700_000_000_000_000)
        }
        circle.publish(circle.machines[2])
        circle.settle(rounds: 3)
        return circle
    }

    @Test("A record that is older than its author's floor is taken nowhere")
    func staleRecords() {
        let circle = Self.staleRecord(.all)
        for machine in circle.machines.prefix(2) { #expect(machine.value("mail") == nil) }
        #expect(circle.machines[0].replica.quarantined == [circle.machines[2].id: 1])
        var rules = MergeRules.all
        rules.floorBindsAuthors = false
        let values = Self.staleRecord(rules).machines.map { $0.value("mail") }
        #expect(values[0] != values[1])
    }

    @Test("A tombstone stays until every member has read it")
    func silentMember() {
        let circle = Simulation.scripted(3)
        circle.machines[0].write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        circle.machines[0].write("mail", nil, time: circle.time)
        circle.publish(circle.machines[0])
        for _ in 0..<4 {
            for machine in circle.machines.prefix(2) {
                machine.pull(circle.transport, time: circle.time)
                machine.replica.acknowledge()
                circle.publish(machine)
                #expect(machine.replica.collect() == 0)
            }
        }
        circle.finish()
        #expect(circle.check().isEmpty)
        #expect(circle.machines[0].replica.rows.all.isEmpty)
    }

    @Test("A record of 2040 waits, is counted, and harms no new one")
    func clockOf2040() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let later: UInt64 = 15 * 365 * 24 * 3_600_000_000
        first.write("mail", "of 2040", time: circle.time + later)
        circle.publish(first)
        second.pull(circle.transport, time: circle.time)
        #expect(second.value("mail") == nil && second.replica.futureCount == 1)
        second.write("web", "today", time: circle.time)
        let stamp = second.replica.rows[SimulatedKeys.recordID(Array("web".utf8))]?.stamp
        #expect((stamp?.hlc ?? .max) <= second.now(circle.time) + 1_000_000)
        second.pull(circle.transport, time: circle.time + later)
        _ = second.replica.compose(second.keys)
        second.replica.confirm(now: second.now(circle.time + later), second.keys)
        #expect(second.value("mail") == "of 2040")
    }

    @Test("An item with another primary key keeps the name that programs have")
    func rename() {
        let circle = Simulation.scripted(2)
        let (old, new) = ("old".recordID, "new".recordID)
        circle.machines[0].write("old", "value", time: circle.time)
        circle.settle(rounds: 2)
        circle.machines[0].write("old", nil, time: circle.time)
        circle.machines[0].write("new", "value", time: circle.time, previous: old)
        circle.settle(rounds: 2)
        #expect(circle.machines[1].value("new") == "value")
        #expect(circle.machines[1].replica.rows.names[new] == old)
    }

    @Test("An item takes a name once: the item that it had it from has lost it to another")
    func nameOfOnce() {
        let circle = Simulation.scripted(2)
        let (first, names) = (circle.machines[0], { circle.machines[1].replica.rows.names })
        first.write("old", "value", time: circle.time)
        circle.settle(rounds: 2)
        first.rename("old", "new", time: circle.time)
        circle.settle(rounds: 2)
        first.write("new", "changed", time: circle.time, previous: "old".recordID)
        circle.settle(rounds: 2)
        #expect(names()["new".recordID] == "old".recordID)
    }

    @Test("An item that was renamed twice has its first name where nobody has heard of the one between")
    func renamedOn() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        first.write("old", "value", time: circle.time, needsUnlocked: true)
        circle.settle(rounds: 2)
        circle.lock(second)
        first.write("old", nil, time: circle.time)
        first.write("between", "value", time: circle.time, previous: "old".recordID, needsUnlocked: true)
        circle.settle(rounds: 2)
        first.write("between", nil, time: circle.time)
        first.write("new", "value", time: circle.time, previous: "between".recordID, needsUnlocked: true)
        circle.settle(rounds: 2)
        #expect(second.replica.rows.names.isEmpty)
        circle.lock(second)
        #expect(second.replica.rows.names["new".recordID] == "old".recordID)
    }

    @Test("An item takes the name of no other that is still there")
    func stolenName() {
        let circle = Simulation.scripted(2)
        circle.machines[0].write("theirs", "value", time: circle.time)
        circle.machines[0].write("mine", "value", time: circle.time, previous: "theirs".recordID)
        circle.settle(rounds: 2)
        #expect(circle.machines[1].replica.rows.names.isEmpty)
    }

    @Test("Reading stops before a statement of a later version, and says so")
    func laterVersion() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        first.replica.state(.unknown(type: 99, body: [1]))
        first.write("mail", "value", time: circle.time)
        circle.publish(first)
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.later == [first.id])
        #expect(second.value("mail") == nil)
    }

    @Test("A machine joins by a recovery key, and by no other signature")
    func recoveryKey() {
        for isRight in [true, false] {
            let circle = Simulation.scripted(2)
            let code = SimulatedKeys(circle.dice)
            circle.machines[0].replica.state(.recovery(code.own, announcement: BatchHash([1])))
            circle.settle(rounds: 2)
            let newcomer = SimulatedKeys(circle.dice)
            let unsigned = Addition(newcomer.own, recoveryKey: code.id)
            let signer = isRight ? code : newcomer
            let addition = Addition(
                newcomer.own, recoveryKey: code.id, signature: signer.sign(unsigned.signed(in: circle.transport.circle))
            )
            var replica = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows())
            replica.state(.add(addition))
            circle.machines.append(SimulatedMachine(replica, newcomer, clock: 0))
            circle.publish(circle.machines[2])
            circle.settle(rounds: 3)
            #expect(circle.machines[0].replica.membership.machines.contains(newcomer.id) == isRight)
        }
    }

    @Test("An uninformed machine's batches under the old keys count, and its change is not lost")
    func uninformed() {
        let circle = Simulation.scripted(4)
        let (remover, uninformed, gone) = (circle.machines[0], circle.machines[1], circle.machines[3])
        gone.write("mail", "by the removed", time: circle.time)
        circle.publish(gone)
        uninformed.pull(circle.transport, time: circle.time)
        circle.remove(gone, by: remover)
        uninformed.replica.acknowledge()
        circle.publish(uninformed)
        circle.finish()
        #expect(circle.check().isEmpty)
        #expect(remover.value("mail") == "by the removed")
    }

    @Test("A removal removes those that the removed one introduced, unless it keeps them")
    func introduced() {
        for isKept in [true, false] {
            let circle = Simulation.scripted(3)
            let sponsor = circle.machines[2]
            circle.settle(rounds: 1)
            let friend = circle.join(sponsor)
            circle.settle(rounds: 3)
            circle.machines[0].replica.state(.remove(sponsor.id, .user, kept: isKept ? [friend.id] : []))
            circle.settle(rounds: 3)
            #expect(circle.machines[1].replica.membership.machines.contains(friend.id) == isKept)
            let current = circle.machines[0].replica.membership.currentGeneration
            #expect(friend.keys.holds(current?.id ?? .none) == isKept)
            #expect(!sponsor.keys.holds(current?.id ?? .none))
        }
    }

    @Test("The change that a removal comes with is sealed with keys that the removed one has not")
    func removalHasItsGeneration() {
        let circle = Simulation.scripted(3)
        circle.machines[0].replica.state(.remove(circle.machines[2].id, .user, kept: []))
        let batch = circle.machines[0].replica.compose(circle.machines[0].keys)
        circle.settle(rounds: 2)
        #expect(batch.map { circle.machines[1].keys.holds($0.header.generation) } == true)
        #expect(batch.map { circle.machines[2].keys.holds($0.header.generation) } == false)
    }

    /// A machine in wrong hands makes keys without a share for itself, and is removed.
    private static func keepsItsKeys(_ rules: MergeRules) -> Bool {
        let circle = Simulation.scripted(3, rules)
        let (first, hostile) = (circle.machines[0], circle.machines[2])
        hostile.keys.forgets = [hostile.id]
        let number = hostile.replica.membership.nextGeneration ?? 0
        let made = hostile.keys.makeGeneration(number, for: hostile.replica.membership.recipients)
        if let made { hostile.replica.state(.generation(made)) }
        circle.publish(hostile)
        first.pull(circle.transport, time: circle.time)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 3)
        return hostile.keys.holds(first.replica.membership.currentGeneration?.id ?? .none)
    }

    @Test("Keys that a removed machine has made are used no more, also when it has given itself no share")
    func generationOfRemoved() {
        #expect(!Self.keepsItsKeys(.all))
        var rules = MergeRules.all
        rules.generationNeedsItsAuthor = false
        #expect(Self.keepsItsKeys(rules))
    }

    @Test("The batch of a removal gives the removed one no keys that it lacked")
    func removalSharesNothing() {
        let circle = Simulation.scripted(2)
        let (first, newcomer) = (circle.machines[0], SimulatedKeys(circle.dice))
        let current = first.replica.membership.currentGeneration?.id ?? .none
        first.replica.state(.add(Addition(newcomer.own)))
        circle.publish(first)
        first.replica.state(.remove(newcomer.id, .user, kept: []))
        let batch = first.replica.compose(first.keys)
        let shared = (batch?.statements ?? []).filter { statement in
            guard case .share(let late) = statement, late.id == current else { return false }
            return late.shares.contains { $0.recipient == newcomer.id }
        }
        #expect(batch != nil && shared.isEmpty)
    }

    /// A machine has read a change of a removed member on the word of another one, while its own removal of that one
    /// was under way.
    @Test("What a machine reads while its own removal is under way is read by all")
    func readUnderWay() {
        let circle = Simulation.scripted(4)
        let (remover, other) = (circle.machines[0], circle.machines[1])
        let (witness, gone) = (circle.machines[2], circle.machines[3])
        gone.write("mail", "by the removed", time: circle.time)
        circle.publish(gone)
        circle.exchange(from: witness, to: witness)
        circle.remove(gone, by: remover)
        remover.replica.state(.remove(witness.id, .user, kept: []))
        #expect(remover.replica.compose(remover.keys) != nil)
        remover.pull(circle.transport, time: circle.time)
        #expect(remover.value("mail") == "by the removed")
        circle.publish(remover)
        remover.replica.acknowledge()
        circle.publish(remover)
        circle.deliver(logOf: remover, to: other)
        other.pull(circle.transport, time: circle.time)
        #expect(other.value("mail") == "by the removed")
    }
}
