import LinuxSystem
import SyncFormat
import SyncMerging
import Testing

/// A member in wrong hands can have others wait for nobody's batches but its own.
@Suite("A member in wrong hands silences nobody")
struct SilencingTests {
    private static func mute(_ rules: MergeRules) -> Simulation {
        let circle = Simulation.scripted(4, rules)
        let (hostile, target) = (circle.machines[2], circle.machines[3])
        hostile.isMute = circle.transport.commit(
            circle.unreadable([.remove(target.id, .user, kept: [])], by: hostile))
        circle.settle(rounds: 2)
        for machine in circle.machines.prefix(2) { machine.write("of \(machine.id)", "heard", time: circle.time) }
        circle.settle(rounds: 2)
        return circle
    }

    /// Whether both honest ones that it has not removed have what the other has written.
    private static func isHeard(_ circle: Simulation) -> Bool {
        let honest = circle.machines.prefix(2)
        return honest.allSatisfy { reader in honest.allSatisfy { reader.value("of \($0.id)") == "heard" } }
    }

    @Test("A removal in a batch whose keys nobody will ever have counts for no other machine, and these are heard")
    func inventedKeys() {
        let circle = Self.mute(.all)
        #expect(Self.isHeard(circle))
        #expect(circle.machines[0].keys.membership.removed.isEmpty)
        var rules = MergeRules.all
        rules.statementsFollowKeys = false
        #expect(!Self.isHeard(Self.mute(rules)))
    }

    /// A newcomer that an honest member and one in wrong hands introduce, and two readers: one has read the honest
    /// introduction first, the other the hostile one.
    private struct Introduced {
        let circle = Simulation.scripted(4)
        let newcomer: SimulatedMachine
        var first: SimulatedMachine { circle.machines[0] }
        var hostile: SimulatedMachine { circle.machines[2] }
        var readers: [SimulatedMachine] { [circle.machines[1], circle.machines[3]] }

        init(_ introduce: (Simulation, MemberKeys) -> Void) {
            let keys = SimulatedKeys(circle.dice)
            let replica = Replica(circle: circle.transport.circle, me: keys.id, rows: SimulatedRows())
            newcomer = SimulatedMachine(replica, keys, clock: 0)
            introduce(circle, keys.own)
            first.replica.state(.add(Addition(keys.own)))
            first.publish(circle.transport, time: circle.time)
            for (reader, authors) in zip(readers, [[first, hostile], [hostile, first]]) {
                for author in authors { circle.deliver(logOf: author, to: reader) }
            }
            circle.machines.append(newcomer)
        }

        /// The values of what the newcomer writes, at the readers.
        func write() -> [String?] {
            newcomer.write("mail", "heard", time: circle.time)
            circle.settle(rounds: 3)
            return readers.map { $0.value("mail") }
        }
    }

    private static func state(_ statement: SyncStatement, by hostile: SimulatedMachine, in circle: Simulation) {
        hostile.replica.state(statement)
        hostile.publish(circle.transport, time: circle.time)
    }

    @Test("A machine that it has introduced as well stays in after its removal, whichever was read first")
    func introducedOnceMore() {
        let history = Introduced { Self.state(.add(Addition($1)), by: $0.machines[2], in: $0) }
        for reader in history.readers {
            #expect(reader.replica.membership.introductions[history.newcomer.id]?.count == 2)
        }
        history.circle.settle(rounds: 2)
        history.circle.remove(history.hostile, by: history.first)
        history.circle.settle(rounds: 2)
        #expect(history.write() == ["heard", "heard"])
        for reader in history.readers { #expect(reader.replica.membership.removed == [history.hostile.id]) }
    }

    @Test("A machine that it has introduced as a recovery key is heard, whichever was read first")
    func asRecoveryKey() {
        let history = Introduced {
            Self.state(.recovery($1, announcement: BatchHash([1])), by: $0.machines[2], in: $0)
        }
        #expect(history.write() == ["heard", "heard"])
    }

    /// A batch that introduces somebody and states a floor.
    private static func introduce(
        _ keys: MemberKeys, stating floor: UInt64, by sponsor: SimulatedMachine, in circle: Simulation
    ) {
        let (header, statements) = (circle.header(of: sponsor), [SyncStatement.add(Addition(keys))])
        let content = SyncContent(positions: [], floor: floor, records: [])
        let sealed = sponsor.keys.seal(content.encoded(), header) {
            SyncBatch.associated(header, statements, sealedSize: $0)
        }
        let batch = SyncBatch(
            header, statements, sealed: sealed, sealedHash: sponsor.keys.hash(sealed), sign: sponsor.keys.sign)
        _ = circle.transport.commit(batch)
        sponsor.pull(circle.transport, time: circle.time)
    }

    @Test("A machine that it has introduced under a floor at the end of time is heard, whichever was read first")
    func endOfTime() {
        let history = Introduced {
            Self.introduce($1, stating: SyncLimits.endOfTime - 1, by: $0.machines[2], in: $0)
        }
        #expect(history.write() == ["heard", "heard"])
    }

    @Test("A machine that it introduces under a lower floor than it has stated begins with the one that it has stated")
    func lowerFloor() {
        let circle = Simulation.scripted(3)
        let (first, hostile, accomplice) = (circle.machines[0], circle.machines[2], SimulatedKeys(circle.dice))
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 3)
        first.write("mail", nil, time: circle.time)
        for _ in 0..<2 {
            circle.settle(rounds: 3)
            for machine in circle.machines { _ = machine.replica.collect() }
        }
        Self.introduce(accomplice.own, stating: 0, by: hostile, in: circle)
        circle.settle(rounds: 1)
        let (stated, begun) = (first.replica.logs[hostile.id]?.floor, first.replica.logs[accomplice.id]?.floor)
        #expect(stated ?? 0 > 0 && begun == stated)
    }

    @Test("Where it has written nothing but a batch far ahead, a newcomer reads the logs of the others")
    func farAhead() throws {
        let circle = Simulation.scripted(2)
        let (first, hostile) = (circle.machines[0], SimulatedKeys(circle.dice))
        Self.state(.add(Addition(hostile.own)), by: first, in: circle)
        let newcomer = circle.join(first)
        newcomer.replica.keepsBack = true
        let header = SyncHeader(
            circle: circle.transport.circle, device: hostile.id, seq: 1000, previous: BatchHash([1]),
            generation: .none, salt: .none)
        let ahead = SyncBatch(
            header, [.want(GenerationID([1]))], sealed: [], sealedHash: first.keys.hash([]), sign: hostile.sign)
        let shown = circle.transport.deliveries(to: newcomer.id, after: [:]) + [(ahead.slot, try #require(ahead.bytes))]
        for (slot, bytes) in shown {
            _ = newcomer.replica.receive(bytes, in: slot, now: circle.time, newcomer.keys)
        }
        newcomer.replica.readAll(now: circle.time, newcomer.keys)
        #expect(newcomer.replica.membership.machines.contains(newcomer.id))
        #expect(!newcomer.replica.lacksBeginnings(newcomer.keys))
    }
}
