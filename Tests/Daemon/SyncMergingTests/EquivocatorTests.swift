import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// Versions that members pass on after a removal, and logs with two branches.
@Suite("Equivocators and versions that are passed on")
struct EquivocatorTests {
    private static func without(_ switchOff: (inout MergeRules) -> Void) -> MergeRules {
        var rules = MergeRules.all
        switchOff(&rules)
        return rules
    }

    private static func passedOn(_ account: String, of gone: SimulatedMachine, hlc: UInt64) -> SyncRecord {
        SimulatedMachine.record(account, "passed on", hlc: hlc)
            .with(origin: SyncRecord.Origin(device: gone.id, seq: 1))
    }

    /// The third machine has the batch of the removal, and its keys with it, but not the one before.
    private static func earlyReader(_ rules: MergeRules) -> String? {
        let circle = Simulation.scripted(4, rules)
        let (remover, member, reader, gone) = (
            circle.machines[0], circle.machines[1], circle.machines[2], circle.machines[3]
        )
        circle.transport.hide(remover.id, from: reader.id, after: reader.replica.logs[remover.id]?.seq ?? 0)
        remover.replica.acknowledge()
        circle.publish(remover)
        circle.remove(gone, by: remover)
        circle.deliverLast(of: remover, to: reader)
        member.pull(circle.transport, time: circle.time)
        circle.commit([passedOn("mail", of: gone, hlc: circle.time)], by: member)
        reader.pull(circle.transport, time: circle.time)
        circle.settle(rounds: 2)
        return reader.value("mail")
    }

    @Test("A version that was passed on has the place of the batch that passes it on, or of a snapshot")
    func placeOfPassedOn() throws {
        let circle = Simulation.scripted(4)
        let (first, second, third, hostile) = (
            circle.machines[0], circle.machines[1], circle.machines[2], circle.machines[3]
        )
        circle.transport.hide(hostile.id, from: third.id, after: hostile.replica.logs[hostile.id]?.seq ?? 0)
        hostile.write("mail", "for some", time: circle.time)
        let twin = circle.batch([], by: hostile)
        circle.publish(hostile)
        for machine in [first, second] { circle.exchange(from: machine, to: machine) }
        _ = first.replica.receive(twin.bytes ?? [], in: twin.slot, now: circle.time, first.keys)
        circle.remove(hostile, by: first)
        circle.publish(first)
        let place = first.replica.rows["mail".recordID]?.place
        #expect(place?.device == first.id)
        third.pull(circle.transport, time: circle.time)
        #expect(third.replica.rows["mail".recordID]?.place == place)
        #expect(third.replica.rows["mail".recordID]?.stamp.device == hostile.id)
        circle.settle(rounds: 5)
        #expect(first.replica.compose(first.keys) == nil && circle.makeSnapshot(first))
        circle.settle(rounds: 1)
        let newcomer = circle.join(first)
        circle.settle(rounds: 1)
        let (bytes, parts) = try #require(circle.transport.announcements(for: newcomer.id).last)
        var fresh = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows())
        let isRead = fresh.start(from: bytes, parts: parts, introducer: first.id, now: circle.time, newcomer.keys)
        #expect(isRead && fresh.rows["mail".recordID]?.place?.device == first.id)
    }

    @Test("A version of a removed machine is taken by those who hear of the removal later")
    func removalComesLater() {
        #expect(Self.earlyReader(.all) == "passed on")
        #expect(Self.earlyReader(Self.without { $0.passingFollowsRemoval = false }) == nil)
    }

    /// The first machine has let a tombstone go when a member in wrong hands passes on an older version.
    private static func staleVersion(_ rules: MergeRules) -> [String?] {
        let circle = Simulation.scripted(4, rules)
        let (first, hostile, gone) = (circle.machines[0], circle.machines[2], circle.machines[3])
        let before = circle.time
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        circle.remove(gone, by: first)
        first.write("mail", nil, time: circle.time)
        circle.settle(rounds: 3)
        for machine in circle.machines { _ = machine.replica.collect() }
        circle.settle(rounds: 2)
        #expect(first.replica.collect() == 1)
        circle.commit([passedOn("mail", of: gone, hlc: before)], by: hostile)
        circle.settle(rounds: 3)
        return circle.machines.prefix(2).map { $0.value("mail") }
    }

    @Test("A version older than a tombstone that some have let go is deleted everywhere")
    func deletionIsRenewed() {
        #expect(Self.staleVersion(.all) == [nil, nil])
        #expect(Self.staleVersion(Self.without { $0.deletionsAreRenewed = false }) == ["passed on", nil])
    }

    /// The second machine reads another branch than the first. More of that branch comes when tombstones have gone.
    private static func lateBranch(_ rules: MergeRules) -> String? {
        let circle = Simulation.scripted(3, rules)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let before = circle.time
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        first.write("mail", nil, time: circle.time)
        let twin = SimulatedMachine(hostile.replica, hostile.keys, clock: 0)
        twin.write("web", "for some", time: circle.time)
        twin.replica.compose(twin.keys).map { circle.transport.fork($0, for: [second.id]) }
        twin.replica.confirm(now: circle.time, twin.keys)
        for text in ["for others", "for others again"] {
            hostile.write("web", text, time: circle.time)
            circle.publish(hostile)
        }
        circle.settle(rounds: 2)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 3)
        for machine in circle.machines.prefix(2) { _ = machine.replica.collect() }
        circle.settle(rounds: 2)
        #expect(second.replica.collect() >= 1)
        let late = circle.batch([SimulatedMachine.record("mail", "late", hlc: before)], by: twin)
        circle.transport.fork(late, for: [second.id])
        circle.settle(rounds: 1)
        return second.value("mail")
    }

    @Test("The branch of a removed equivocator is read no further, so that nothing comes back from it")
    func branchEnds() {
        #expect(Self.lateBranch(.all) == nil)
        #expect(Self.lateBranch(Self.without { $0.splitLogsEnd = false }) == "late")
    }

    /// A deletion in the branch that the first machine reads; the second says that it has read as far in the other.
    private static func deletionInBranch(_ rules: MergeRules) -> [String?] {
        let circle = Simulation.scripted(3, rules)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        for account in ["mail", "web"] { first.write(account, "old", time: circle.time) }
        circle.settle(rounds: 2)
        first.write("web", nil, time: circle.time + 3_600_000_000)
        circle.settle(rounds: 3)
        for machine in [first, second] { _ = machine.replica.collect() }
        circle.settle(rounds: 2)
        let twin = SimulatedMachine(hostile.replica, hostile.keys, clock: 0)
        twin.write("news", "for some", time: circle.time)
        twin.replica.compose(twin.keys).map { circle.transport.fork($0, for: [second.id]) }
        hostile.write("mail", nil, time: circle.time)
        for machine in [hostile, second] {
            machine.replica.acknowledge()
            machine.pull(circle.transport, time: circle.time)
            circle.publish(machine)
        }
        circle.remove(hostile, by: second)
        circle.publish(second)
        first.pull(circle.transport, time: circle.time)
        _ = first.replica.collect()
        circle.settle(rounds: 4)
        return [first.value("mail"), second.value("mail")]
    }

    @Test("A tombstone of an equivocator does not go before it was passed on")
    func doubtfulTombstone() {
        #expect(Self.deletionInBranch(.all) == [nil, nil])
        #expect(Self.deletionInBranch(Self.without { $0.doubtfulTombstonesStay = false }) == [nil, "old"])
    }

    /// The first machine alone has read a removal, because the second one reads the other branch.
    private static func removalInBranch(_ rules: MergeRules) -> [String?] {
        let circle = Simulation.scripted(4, rules)
        let (first, second, hostile, gone) = (
            circle.machines[0], circle.machines[1], circle.machines[2], circle.machines[3]
        )
        let before = circle.time
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        first.write("mail", nil, time: circle.time)
        circle.settle(rounds: 3)
        for machine in [first, second, hostile] { _ = machine.replica.collect() }
        circle.settle(rounds: 2)
        circle.transport.fork(circle.batch([], by: hostile), for: [second.id])
        hostile.replica.state(.remove(gone.id, .user, kept: []))
        for _ in 0..<2 { circle.publish(hostile) }
        circle.exchange(from: second, to: first)
        _ = first.replica.collect()
        let late = ["mail", "web"].map { SimulatedMachine.record($0, "late", hlc: before) }
        circle.commit(late, by: gone)
        circle.exchange(from: second, to: first)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 3)
        return ["mail", "web"].map(first.value)
    }

    @Test("A removal in one branch informs nobody: no tombstone goes before it was repeated")
    func removalInOneBranch() {
        #expect(Self.removalInBranch(.all) == [nil, "late"])
        #expect(Self.removalInBranch(Self.without { $0.splitRemovalsInformNobody = false }) == ["late", "late"])
    }

    private static let strangers = (0..<SyncLimits.kept).map { MemberID(number: UInt128($0) + 1) }

    @Test("A removal that keeps as many as it has room for is repeated as every other one")
    func fullRemoval() {
        let circle = Simulation.scripted(4)
        let (first, second, hostile, gone) = (
            circle.machines[0], circle.machines[1], circle.machines[2], circle.machines[3]
        )
        circle.transport.fork(circle.batch([], by: hostile), for: [second.id])
        hostile.replica.state(.remove(gone.id, .user, kept: Self.strangers))
        circle.publish(hostile)
        circle.exchange(from: second, to: first)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 3)
        for machine in [first, second] { #expect(machine.replica.membership.removed == [hostile.id, gone.id]) }
    }

    @Test("Evidence is passed on, and snapshots are made, also where a member has removed its accomplice so")
    func removedAccomplice() {
        let circle = Simulation.scripted(4)
        let others = [circle.machines[0], circle.machines[1], circle.machines[3]].sorted { $0.id < $1.id }
        let (accomplice, first, second, hostile) = (others[0], others[1], others[2], circle.machines[2])
        circle.transport.fork(circle.batch([], by: hostile), for: [second.id])
        hostile.write("mail", "its", time: circle.time)
        circle.publish(hostile)
        accomplice.replica.state(.remove(hostile.id, .user, kept: Self.strangers))
        circle.publish(accomplice)
        circle.settle(rounds: 2)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 3)
        circle.remove(accomplice, by: first)
        circle.settle(rounds: 3)
        #expect(first.replica.compose(first.keys) == nil && circle.makeSnapshot(first))
    }

    /// The second machine alone has read a change of the removed one when it hears of the removal.
    private static func onlyReader(_ rules: MergeRules) -> String? {
        let circle = Simulation.scripted(3, rules)
        let (remover, reader, gone) = (circle.machines[0], circle.machines[1], circle.machines[2])
        gone.write("mail", "by the removed", time: circle.time)
        circle.publish(gone)
        reader.pull(circle.transport, time: circle.time)
        circle.remove(gone, by: remover)
        reader.pull(circle.transport, time: circle.time)
        circle.publish(reader)
        remover.pull(circle.transport, time: circle.time)
        return remover.value("mail")
    }

    @Test("A machine that hears of a removal publishes what it has read of the removed one, with nothing else to say")
    func hearerPublishes() {
        #expect(Self.onlyReader(.all) == "by the removed")
        #expect(Self.onlyReader(Self.without { $0.removalIsAcknowledged = false }) == nil)
    }

    /// A member reads one branch alone, writes with the keys that are stated there, shares them with others, and is
    /// removed. Another one is out in that branch, and has to read the batches all the same.
    @Test("Keys that one branch alone states are shared with each member that asks for them")
    func keysOfOneBranch() {
        let plan = SimulationPlan(machines: 5, steps: 120, hostile: [.equivocation, .accomplice, .removal])
        #expect(plan.problems(2_026_120_000_948, .all).isEmpty)
    }

    /// A machine has such keys from a batch that never counts for it, and has read with them what a removed one wrote.
    @Test("Keys that came in a batch of another branch are shared, too, when its author is out")
    func keysOfOtherBranch() {
        let malice = Set(SimulationPlan.Malice.allCases).subtracting([.floors])
        let plan = SimulationPlan(machines: 3, removals: 1, joins: 1, hostile: malice)
        #expect(plan.problems(2_026_131_000_226, .all).isEmpty)
    }
}
