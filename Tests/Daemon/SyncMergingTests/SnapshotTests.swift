import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// Snapshots: who believes them, what may be discarded then, and how a newcomer starts.
@Suite("Snapshots")
struct SnapshotTests {
    private static func without(_ switchOff: (inout MergeRules) -> Void) -> MergeRules {
        var rules = MergeRules.all
        switchOff(&rules)
        return rules
    }

    /// Machines that know one item, one deletion, and one removal, whose author is the first.
    private static func circle(_ count: Int = 3, _ rules: MergeRules = .all) -> Simulation {
        let circle = Simulation.scripted(count + 1, rules)
        let first = circle.machines[0]
        for account in ["mail", "gone"] { first.write(account, "value", time: circle.time) }
        circle.settle(rounds: 2)
        first.write("gone", nil, time: circle.time)
        circle.remove(circle.machines[count], by: first)
        circle.settle(rounds: 3)
        for machine in circle.machines { _ = machine.replica.collect() }
        circle.settle(rounds: 2)
        return circle
    }

    @Test("A newcomer starts from a snapshot that all have endorsed, when the logs are gone")
    func newcomer() throws {
        let circle = Self.circle()
        #expect(circle.makeSnapshot(circle.machines[0]))
        circle.settle(rounds: 1)
        circle.endorse()
        #expect(circle.transport.logs.values.allSatisfy { $0[1] == nil })
        let newcomer = circle.join(circle.machines[1])
        circle.settle(rounds: 3)
        #expect(newcomer.hasStarted && newcomer.value("mail") == "value" && newcomer.value("gone") == nil)
        newcomer.write("web", "of the newcomer", time: circle.time)
        circle.settle(rounds: 2)
        #expect(circle.machines[0].value("web") == "of the newcomer")
        for machine in circle.machines { machine.pull(circle.transport, time: circle.time) }
        #expect(circle.strange(newcomer, circle.machines[0]) == [])
        // A second newcomer could not start on the word of the first, which has not endorsed a snapshot yet.
        #expect(circle.machines[0].replica.mayIntroduce && !newcomer.replica.mayIntroduce)
        #expect(circle.makeSnapshot(circle.machines[0]))
        circle.settle(rounds: 1)
        circle.endorse()
        newcomer.pull(circle.transport, time: circle.time)
        #expect(newcomer.replica.mayIntroduce)
    }

    /// The keys of a snapshot are retired, and a member that was added later alone has shared them with a newcomer.
    private static func sharedLater(_ beforeStart: (Simulation, SimulatedMachine) throws -> Void) rethrows
        -> SimulatedMachine
    {
        let circle = circle()
        let gone = circle.join(circle.machines[0])
        circle.settle(rounds: 3)
        #expect(circle.makeSnapshot(circle.machines[0]))
        circle.settle(rounds: 1)
        let sponsor = circle.join(circle.machines[1])
        circle.settle(rounds: 2)
        circle.endorse()
        #expect(circle.transport.logs[circle.machines[0].id]?[1] == nil && sponsor.replica.base == nil)
        circle.remove(gone, by: circle.machines[1])
        circle.settle(rounds: 2)
        let newcomer = circle.join(sponsor)
        try beforeStart(circle, newcomer)
        circle.settle(rounds: 3)
        return newcomer
    }

    @Test("A newcomer gets the keys of a snapshot from a member that was added later, also when these keys are retired")
    func sharedByLaterMember() {
        let newcomer = Self.sharedLater { _, _ in }
        #expect(newcomer.hasStarted && newcomer.value("mail") == "value")
    }

    @Test("A newcomer starts from a snapshot whose author was removed before its sponsor had endorsed it")
    func removedAuthor() {
        let circle = Self.circle()
        let author = circle.machines[2]
        #expect(circle.makeSnapshot(author))
        circle.settle(rounds: 1)
        for machine in circle.remaining { circle.examine(machine) }
        circle.settle(rounds: 2)
        let sponsor = circle.join(circle.machines[0])
        sponsor.pull(circle.transport, time: circle.time)
        for machine in circle.machines.prefix(3) { circle.discard(machine) }
        #expect(circle.transport.logs[author.id]?[1] == nil && sponsor.replica.base == nil)
        circle.remove(author, by: sponsor)
        let newcomer = circle.join(sponsor)
        for _ in 0..<4 {
            for machine in circle.remaining { circle.examine(machine) }
            circle.settle(rounds: 1)
        }
        #expect(newcomer.hasStarted && newcomer.value("mail") == "value")
        #expect(circle.makeSnapshot(circle.machines[0]))
    }

    @Test("It seeks them in no batch of a stranger, of which a place can show as many as it likes")
    func sharedByStranger() throws {
        var stranger: SimulatedKeys?
        let newcomer = try Self.sharedLater { circle, newcomer in
            let first = circle.machines[0]
            let announcing = try #require(circle.transport.announcements(for: newcomer.id).first)
            let id = try SyncBatch(decoding: announcing.bytes, hash: first.keys.hash).header.generation
            let shared = try #require(first.keys.share(id, with: [newcomer.id: newcomer.keys.own]))
            let author = SimulatedKeys(circle.dice)
            let header = SyncHeader(
                circle: circle.transport.circle, device: author.id, seq: 7, previous: BatchHash([1]),
                generation: .none, salt: .none)
            let batch = SyncBatch(
                header, [.share(shared)], sealed: [], sealedHash: first.keys.hash([]), sign: author.sign)
            newcomer.receive(try #require(batch.bytes), in: batch.slot, time: circle.time)
            stranger = author
        }
        #expect(newcomer.hasStarted && !newcomer.keys.soughtIn.isEmpty)
        #expect(try !newcomer.keys.soughtIn.contains(#require(stranger).id))
    }

    @Test("A snapshot in which its author is out already is not endorsed: nobody could start from it")
    func outInItsOwn() throws {
        let circle = Self.circle()
        let (remover, late, author) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.remove(author, by: remover)
        let log = try #require(circle.transport.logs[remover.id])
        let end = try #require(log.keys.max())
        let removal = try SyncBatch(decoding: #require(log[end]), hash: remover.keys.hash)
        let floor = remover.replica.logs[remover.id]?.floor ?? 0
        circle.announce(by: author) { content in
            content.stating.append(removal)
            guard let index = content.logs.firstIndex(where: { $0.device == remover.id }) else { return }
            let said = remover.replica.logs[remover.id]?.said ?? [:]
            content.logs[index] = .init(
                device: remover.id, seq: end, hash: remover.keys.hash(removal.signed), floor: floor,
                said: said.sorted { $0.key < $1.key }.map { SyncRecord.Origin(device: $0.key, seq: $0.value) })
        }
        circle.deliver(logOf: author, to: late)
        late.replica.acknowledge()
        circle.publish(late)
        circle.settle(rounds: 1)
        let announced = try #require(remover.replica.snapshots[author.id])
        #expect(announced.end(of: remover.id) == end && remover.replica.membership.removed.contains(author.id))
        for machine in [remover, late] { circle.examine(machine) }
        circle.settle(rounds: 1)
        #expect(!remover.replica.hasEndorsed(remover.id, announced.position))
        #expect(!remover.replica.hasEndorsed(late.id, announced.position))
    }

    @Test("The log of an equivocator stays until all have endorsed a snapshot of after its removal")
    func splitLogStays() {
        let circle = Self.circle()
        let (first, second, late) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.makeSnapshot(first)
        circle.settle(rounds: 1)
        for machine in circle.remaining { circle.examine(machine) }
        circle.settle(rounds: 2)
        func exchange(_ machines: SimulatedMachine...) {
            for _ in 0..<3 { for machine in machines { circle.exchange(from: machine, to: machine) } }
        }
        let hostile = circle.join(second)
        exchange(first, second, hostile)
        let friend = circle.join(hostile)
        exchange(first, second, hostile, friend)
        let twin = circle.batch([], by: hostile)
        circle.exchange(from: hostile, to: first)
        _ = first.replica.receive(twin.bytes ?? [], in: twin.slot, now: circle.time, first.keys)
        circle.transport.hide(first.id, from: late.id, after: first.replica.logs[first.id]?.seq ?? 0)
        first.replica.state(.remove(hostile.id, .forked, kept: [friend.id]))
        friend.write("web", "of the friend", time: circle.time)
        exchange(first, second, friend)
        #expect(first.replica.doubted == [hostile.id] && first.value("web") == "of the friend")
        for machine in [first, second] { circle.discard(machine) }
        late.pull(circle.transport, time: circle.time)
        circle.settle(rounds: 4)
        #expect(late.value("web") == "of the friend")
        circle.endWithSnapshot()
        #expect(circle.problems == [] && circle.transport.logs[hostile.id]?[1] == nil)
    }

    @Test("The log of a removed member may be shorter as far as a snapshot covers it, and no other log may")
    func shorterLogs() {
        let circle = Simulation.scripted(4)
        let (first, second, gone) = (circle.machines[0], circle.machines[1], circle.machines[3])
        func shows(_ author: SimulatedMachine, upTo seq: UInt64) -> Bool {
            var copy = second.replica
            var ends = circle.transport.ends(for: second.id)
            ends[author.id] = seq
            copy.look(at: ends)
            return copy.rolledBack.isEmpty
        }
        circle.settle(rounds: 2)
        #expect(circle.makeSnapshot(first))
        circle.settle(rounds: 2)
        circle.endorse()
        second.pull(circle.transport, time: circle.time)
        let end = second.replica.covered?.end(of: gone.id) ?? 0
        #expect(end > 0 && !shows(gone, upTo: 0))
        gone.write("mail", "not covered", time: circle.time)
        circle.settle(rounds: 2)
        circle.remove(gone, by: first)
        circle.settle(rounds: 3)
        #expect(second.replica.membership.removed == [gone.id] && !shows(gone, upTo: end))
        circle.makeSnapshot(first)
        circle.settle(rounds: 2)
        circle.endorse()
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.covered?.end(of: gone.id) ?? 0 > end && shows(gone, upTo: 0))
        #expect(!shows(first, upTo: 0))
    }

    /// Of those that one member announces after another, the lies that others endorse.
    private static func believed(_ lies: [SnapshotLie], _ rules: MergeRules = .all) -> [String] {
        let circle = circle(3, rules)
        let (reader, liar) = (circle.machines[1], circle.machines[2])
        return lies.filter { lie in
            let before = reader.replica.snapshots[liar.id]?.position
            circle.announce(by: liar, lie.alter)
            reader.pull(circle.transport, time: circle.time)
            #expect(reader.replica.snapshots[liar.id].map { $0.position != before } == true, "\(lie)")
            let parts = circle.transport.parts(of: liar.id, liar.replica.logs[liar.id]?.seq ?? 0)
            return reader.replica.examine(parts, of: liar.id, reader.keys)
        }.map(\.testDescription)
    }

    @Test("A snapshot that lies is not endorsed, and one that does not is")
    func lies() {
        let truth = SnapshotLie("nothing is another") { _ in }
        #expect(Self.believed(SnapshotLie.all + [truth]) == [truth.testDescription])
        let unexamined = Self.believed([SnapshotLie.all[0]], Self.without { $0.snapshotsAreExamined = false })
        #expect(unexamined == [SnapshotLie.all[0].testDescription])
    }

    /// The last machine is removed after it has endorsed what the one before announces.
    private static func discarded(_ rules: MergeRules) -> Bool {
        let circle = Simulation.scripted(4, rules)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let (liar, accomplice) = (circle.machines[2], circle.machines[3])
        first.write("mail", "value", time: circle.time)
        circle.settle(rounds: 2)
        circle.announce(by: liar) { $0.records = [] }
        circle.settle(rounds: 1)
        let position = first.replica.snapshots[liar.id]?.position
        if let position { accomplice.replica.state(.endorse(position)) }
        circle.settle(rounds: 2)
        #expect(position.map { first.replica.hasEndorsed(accomplice.id, $0) } == true)
        circle.remove(accomplice, by: second)
        circle.settle(rounds: 3)
        circle.endorse()
        return !first.replica.discardable.isEmpty
    }

    @Test("The word of a removed member is not enough to discard anything")
    func removedEndorser() {
        #expect(!Self.discarded(.all))
    }

    /// A newcomer is shown the snapshot of a member in wrong hands, and nothing else.
    private static func believes(_ rules: MergeRules) -> Bool {
        let circle = circle(3, rules)
        circle.announce(by: circle.machines[2]) { $0.records.removeAll { $0.rid == "mail".recordID } }
        circle.settle(rounds: 1)
        let newcomer = SimulatedKeys(circle.dice)
        circle.machines[0].replica.state(.add(Addition(newcomer.own)))
        circle.settle(rounds: 3)
        var replica = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows(), rules: rules)
        let deliveries = circle.transport.deliveries(to: newcomer.id, after: [:])
        for (slot, bytes) in deliveries { _ = replica.receive(bytes, in: slot, now: circle.time, newcomer) }
        for (bytes, parts) in circle.transport.announcements(for: newcomer.id) {
            let isRead = replica.start(
                from: bytes, parts: parts, introducer: circle.machines[0].id, now: circle.time, newcomer)
            #expect(isRead)
        }
        for (slot, bytes) in deliveries { _ = replica.receive(bytes, in: slot, now: circle.time, newcomer) }
        #expect(replica.membership.machines.contains(newcomer.id))
        return replica.isStarted && replica.rows["mail".recordID] == nil
    }

    @Test("A newcomer trusts no snapshot that the member has not endorsed that it has paired with")
    func introducersWord() {
        #expect(!Self.believes(.all))
        #expect(Self.believes(Self.without { $0.startsAreTrusted = false }))
    }

    /// A newcomer that was added by its code is shown the snapshot of a member, which others compare.
    private static func staysByCode(_ announce: (_ circle: Simulation) -> Void) -> Bool {
        let circle = circle(3)
        announce(circle)
        circle.settle(rounds: 1)
        for machine in circle.remaining { circle.examine(machine) }
        circle.settle(rounds: 2)
        let newcomer = SimulatedKeys(circle.dice)
        circle.machines[0].replica.state(.add(Addition(newcomer.own)))
        circle.settle(rounds: 3)
        var replica = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows())
        replica.keepsBack = true
        for (slot, bytes) in circle.transport.deliveries(to: newcomer.id, after: [:]) {
            _ = replica.receive(bytes, in: slot, now: circle.time, newcomer)
        }
        replica.keepsBack = false
        for (bytes, parts) in circle.transport.announcements(for: newcomer.id) {
            _ = replica.start(from: bytes, parts: parts, introducer: nil, now: circle.time, newcomer)
        }
        return replica.canStay
    }

    @Test("A newcomer that was added by its code starts from no snapshot that its sponsor does not vouch for")
    func sponsorsWord() {
        #expect(Self.staysByCode { $0.makeSnapshot($0.machines[2]) })
        #expect(!Self.staysByCode { $0.announce(by: $0.machines[2]) { $0.records.removeAll() } })
        // Nor from one that says of all others that they have written nothing, with or without what they have stated.
        for states in [true, false] {
            let stays = Self.staysByCode { circle in
                let author = circle.machines[2].id
                circle.announce(by: circle.machines[2]) { content in
                    content.logs.removeAll { $0.device != author }
                    if !states { content.stating.removeAll { $0.header.device != author } }
                }
            }
            #expect(!stays)
        }
    }

    /// Two make a snapshot at one time, before they have read each other's last batch. Each hears of the end of its own
    /// first.
    private static func startsBesidesTwo(_ rules: MergeRules) -> Bool {
        let circle = circle(3, rules)
        let (first, second, third) = (circle.machines[0], circle.machines[1], circle.machines[2])
        for maker in [first, second] {
            maker.write("web of \(maker.id.text)", "value", time: circle.time)
            circle.publish(maker)
            circle.makeSnapshot(maker)
        }
        third.pull(circle.transport, time: circle.time)
        circle.endorse(third, first)
        circle.transport.hide(third.id, from: first.id, after: third.replica.logs[third.id]?.seq ?? 0)
        circle.endorse(third, second)
        circle.endorse(first, second)
        second.pull(circle.transport, time: circle.time)
        circle.discard(second)
        circle.endorse(second, first)
        first.pull(circle.transport, time: circle.time)
        circle.discard(first)
        let newcomer = circle.join(first)
        circle.settle(rounds: 3)
        return newcomer.replica.isStarted
    }

    @Test("Of two snapshots that do not cover each other not both are endorsed, so that a newcomer starts from one")
    func ascending() {
        #expect(Self.startsBesidesTwo(.all))
        #expect(!Self.startsBesidesTwo(Self.without { $0.endorsementsAscend = false }))
    }

    /// A newcomer has read its sponsor's log when another one is discarded.
    private static func startsAfterHalf(_ rules: MergeRules) -> Bool {
        let circle = circle(3, rules)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.makeSnapshot(first)
        circle.settle(rounds: 1)
        for machine in circle.remaining { circle.examine(machine) }
        circle.settle(rounds: 2)
        let newcomer = circle.join(first)
        circle.transport.hide(second.id, from: newcomer.id, after: 0)
        for (slot, bytes) in circle.transport.deliveries(to: newcomer.id, after: [:]) {
            _ = newcomer.replica.receive(bytes, in: slot, now: circle.time, newcomer.keys)
        }
        newcomer.replica.acknowledge()
        circle.publish(newcomer)
        for machine in [first, second] { circle.discard(machine) }
        circle.settle(rounds: 3)
        return newcomer.replica.rows["mail".recordID] != nil && newcomer.replica.logs[second.id]?.seq ?? 0 > 0
    }

    @Test("A newcomer that has read half when logs are discarded has said nothing yet, and starts from the snapshot")
    func halfRead() {
        #expect(Self.startsAfterHalf(.all))
        #expect(!Self.startsAfterHalf(Self.without { $0.newcomersReadFirst = false }))
    }

    @Test("A newcomer that is shown an old snapshot with the old logs is not ready")
    func oldSnapshot() {
        let circle = Self.circle()
        let first = circle.machines[0]
        circle.makeSnapshot(first)
        circle.settle(rounds: 1)
        circle.endorse()
        let ends = circle.machines.map { ($0.id, $0.replica.logs[$0.id]?.seq ?? 0) }
        first.write("mail", "newer", time: circle.time)
        circle.settle(rounds: 2)
        let newcomer = circle.join(first)
        for (device, seq) in ends { circle.transport.hide(device, from: newcomer.id, after: seq) }
        newcomer.pull(circle.transport, time: circle.time)
        #expect(!newcomer.replica.isStarted && newcomer.replica.compose(newcomer.keys) == nil)
        circle.settle(rounds: 3)
        #expect(newcomer.hasStarted && newcomer.value("mail") == "newer")
    }

    @Test("A snapshot with a part that is missing, cut or another is not endorsed, and nobody starts from it")
    func damagedParts() {
        let circle = Self.circle()
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.makeSnapshot(first)
        circle.settle(rounds: 1)
        let newcomer = circle.join(first)
        circle.settle(rounds: 1)
        guard let (bytes, parts) = circle.transport.announcements(for: second.id).first else {
            Issue.record("no snapshot")
            return
        }
        for other in [[], [[]], [parts[0].dropLast(1)].map(Array.init), parts + parts] {
            let isEndorsed = second.replica.examine(other, of: first.id, second.keys)
            #expect(!isEndorsed)
            var fresh = Replica(circle: circle.transport.circle, me: newcomer.id, rows: SimulatedRows())
            let isRead = fresh.start(
                from: bytes, parts: other, introducer: first.id, now: circle.time, newcomer.keys)
            #expect(!isRead)
        }
        let isEndorsed = second.replica.examine(parts, of: first.id, second.keys)
        #expect(isEndorsed)
    }

    @Test("Nothing is announced while a member is not known to know of a removal, or changes are not published")
    func tooEarly() {
        let circle = Simulation.scripted(3)
        let first = circle.machines[0]
        first.write("mail", "value", time: circle.time)
        #expect(!circle.makeSnapshot(first))
        circle.settle(rounds: 2)
        circle.remove(circle.machines[2], by: first)
        #expect(!circle.makeSnapshot(first))
        circle.settle(rounds: 3)
        #expect(circle.makeSnapshot(first))
    }
}
