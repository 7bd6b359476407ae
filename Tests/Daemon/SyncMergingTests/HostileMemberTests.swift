import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// The acts of a member in wrong hands end when it is removed.
@Suite("A member in wrong hands that is removed")
struct HostileMemberTests {
    private static let farAhead: UInt64 = 1 << 60

    private static func claim(_ device: MemberID, _ seq: UInt64 = farAhead) -> SyncPosition {
        SyncPosition(device: device, seq: seq, hash: 99)
    }

    @Test("It does not go on writing because it has named batches of its own beforehand")
    func namesItself() {
        let circle = Simulation.scripted(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.commit([], naming: [Self.claim(hostile.id)], by: hostile)
        circle.settle(rounds: 1)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 2)
        circle.commit([SimulatedMachine.record("mail", "after", hlc: circle.time)], by: hostile)
        circle.settle(rounds: 2)
        #expect(first.value("mail") == nil && second.value("mail") == nil)
    }

    @Test("Nor does it because another one that is removed has named them")
    func accomplices() {
        let circle = Simulation.scripted(4)
        let (first, hostile, other) = (circle.machines[0], circle.machines[2], circle.machines[3])
        circle.commit([], naming: [Self.claim(hostile.id)], by: other)
        circle.settle(rounds: 1)
        for target in [hostile, other] {
            circle.remove(target, by: first)
            circle.settle(rounds: 2)
        }
        circle.commit([SimulatedMachine.record("mail", "after", hlc: circle.time)], by: hostile)
        circle.settle(rounds: 2)
        #expect(circle.machines.prefix(2).allSatisfy { $0.value("mail") == nil })
        #expect(circle.machines[0].replica.behind(now: .max) == [])
    }

    @Test("A member that it alone has called an equivocator is read again")
    func framed() {
        let circle = Simulation.scripted(3)
        let (first, honest, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let next = (honest.replica.logs[honest.id]?.seq ?? 0) + 1
        circle.commit([], naming: [Self.claim(honest.id, next)], by: hostile)
        circle.settle(rounds: 2)
        #expect(first.replica.doubted == [honest.id])
        circle.remove(hostile, by: first)
        circle.settle(rounds: 2)
        honest.write("mail", "heard", time: circle.time)
        circle.settle(rounds: 2)
        #expect(first.replica.doubted.isEmpty && first.value("mail") == "heard")
    }

    @Test("Its removal of another, which all repeat, is stated so that it can be read")
    func keepsMany() {
        let circle = Simulation.scripted(4)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let kept = (1...255).map { MemberID(number: UInt128($0)) }
        let twin = circle.batch([], by: hostile)
        hostile.replica.state(.remove(circle.machines[3].id, .user, kept: kept))
        circle.publish(hostile)
        circle.settle(rounds: 1)
        for machine in [first, second] {
            _ = machine.replica.receive(twin.bytes ?? [], in: twin.slot, now: circle.time, machine.keys)
            #expect(machine.replica.doubted == [hostile.id])
        }
        circle.remove(hostile, by: first)
        circle.settle(rounds: 2)
        first.write("mail", "heard", time: circle.time)
        circle.settle(rounds: 2)
        #expect(second.value("mail") == "heard")
    }

    @Test("It gets no new keys where the keys of another machine have forgotten its removal, and these are not used")
    func forgottenRemoval() throws {
        let circle = Simulation.scripted(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        first.keys.takesForMembers = [hostile.id: hostile.keys.own]
        circle.remove(hostile, by: first)
        let batch = try SyncBatch(decoding: circle.transport.last(of: first.id).bytes, hash: first.keys.hash)
        #expect(batch.statements.contains { if case .remove = $0 { true } else { false } })
        #expect(!batch.statements.compactMap(\.madeKeys).flatMap(\.shares).contains { $0.recipient == hostile.id })
        second.pull(circle.transport, time: circle.time)
        second.write("mail", "heard", time: circle.time)
        circle.settle(rounds: 3)
        #expect(first.value("mail") == "heard" && hostile.value("mail") == nil)
    }

    @Test("Its removals count as often as its limit says, those of others all the same")
    func removals() {
        var membership = Membership()
        let (one, other) = (MemberID(number: 1), MemberID(number: 2))
        for number in 0..<1000 {
            membership.remove(
                MemberID(number: UInt128(1000 + number)), kept: [], at: SyncRecord.Origin(device: one, seq: 1))
        }
        #expect(membership.removed.count == SyncLimits.removals)
        membership.remove(one, kept: [], at: SyncRecord.Origin(device: other, seq: 1))
        #expect(membership.removed.contains(one))
    }

    @Test("A sponsor that states a floor at the end of time lets the machine that it adds publish nothing unreadable")
    func endOfTime() {
        let circle = Simulation.scripted(2)
        let (first, sponsor, newcomer) = (circle.machines[0], circle.machines[1], SimulatedKeys(circle.dice))
        let header = circle.header(of: sponsor)
        let content = SyncContent(positions: [], floor: SyncLimits.endOfTime - 1, records: [])
        let statements = [SyncStatement.add(Addition(newcomer.own))]
        let sealed = sponsor.keys.seal(content.encoded(), header) {
            SyncBatch.associated(header, statements, sealedSize: $0)
        }
        let added = SyncBatch(
            header, statements, sealed: sealed, sealedHash: first.keys.hash(sealed), sign: sponsor.keys.sign)
        _ = circle.transport.commit(added)
        let replica = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows())
        let machine = SimulatedMachine(replica, newcomer, clock: 0)
        machine.write("mail", "of the newcomer", time: circle.time)
        circle.machines.append(machine)
        circle.settle(rounds: 3)
        #expect(first.replica.membership.machines.contains(newcomer.id))
        #expect(first.replica.quarantined.isEmpty && machine.replica.rows["mail".recordID]?.isDirty == true)
    }

    @Test("Many machines that it adds, with keys that are none, keep the circle's keys from nobody else")
    func puppets() {
        let circle = Simulation.scripted(3)
        let (first, hostile) = (circle.machines[0], circle.machines[2])
        let low = MemberID(number: 1 << 126)
        var puppets: [MemberKeys] = []
        while puppets.count < SyncLimits.recipients {
            let keys = MemberKeys.pointless(circle.dice)
            if first.keys.member(keys) < low { puppets.append(keys) }
        }
        for keys in puppets { hostile.replica.state(.add(Addition(keys))) }
        circle.settle(rounds: 2)
        #expect(first.replica.membership.machines.count == 3 + puppets.count)
        let newcomer = circle.join(first)
        #expect(newcomer.id > low)
        circle.settle(rounds: 2)
        first.write("mail", "for all", time: circle.time)
        circle.settle(rounds: 2)
        #expect(newcomer.value("mail") == "for all")
    }

    /// The newcomer has published nothing, so that it cannot say either that its share is none.
    @Test("A newcomer that got a false share of keys gets a true one when its author is out", arguments: [false, true])
    func falseShare(isLate: Bool) throws {
        let circle = Simulation.scripted(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let newcomer = circle.join(first)
        hostile.pull(circle.transport, time: circle.time)
        hostile.keys.cheats = [newcomer.id]
        let membership = hostile.replica.membership
        let number = try #require(membership.nextGeneration)
        if isLate { hostile.keys.forgets = [newcomer.id] }
        let made = try #require(hostile.keys.makeGeneration(number, for: membership.recipients))
        hostile.replica.state(.generation(made))
        if isLate { hostile.replica.state(.share(made.falsely(for: newcomer.id))) }
        circle.publish(hostile)
        first.pull(circle.transport, time: circle.time)
        first.write("mail", "with these keys", time: circle.time)
        circle.publish(first)
        circle.remove(hostile, by: first)
        circle.settle(rounds: 4)
        #expect(second.value("mail") == "with these keys" && newcomer.value("mail") == "with these keys")
    }
}

extension Generation {
    /// A late share that opens to nothing.
    fileprivate func falsely(for member: MemberID) -> Generation {
        let share = KeyShare(
            recipient: member, encapsulated: [4] + [UInt8](repeating: 0, count: 64),
            box: [UInt8](repeating: 0, count: KeyShare.boxSize))
        return Generation(number: number, commitment: commitment, shares: [share])
    }
}
