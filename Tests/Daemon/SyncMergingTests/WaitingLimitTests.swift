import LinuxSystem
import SyncFormat
import SyncMerging
import Testing

/// Bounds of all that a transport or a member can have others keep.
@Suite("Limits of what waits")
struct WaitingLimitTests {
    /// How many logs have batches that wait.
    private static func waiting(_ machine: SimulatedMachine) -> Int {
        let field = Mirror(reflecting: machine.replica).children.first { $0.label == "waiting" }?.value
        return (field as? [MemberID: [UInt64: [SyncBatch]]])?.count ?? -1
    }

    @Test("First batches of authors that nobody knows wait as far as there is room, and those of a known one are read")
    func unknownAuthors() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        for number in 1...2 * SyncLimits.members {
            let header = SyncHeader(
                circle: circle.transport.circle, device: MemberID(number: UInt128(number)), seq: 1, previous: .none,
                generation: .none, salt: .none)
            let batch = SyncBatch(header, [], sealed: [], sealedHash: first.keys.hash([]), sign: first.keys.sign)
            let verdict = first.replica.receive(batch.bytes ?? [], in: batch.slot, now: circle.time, first.keys)
            #expect(verdict == .waits)
        }
        #expect(Self.waiting(first) == SyncLimits.members)
        second.write("mail", "value", time: circle.time)
        circle.publish(second)
        first.pull(circle.transport, time: circle.time)
        #expect(first.value("mail") == "value")
    }

    @Test("Of the smallest records too many wait for nobody, as of large ones")
    func smallRecords() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let later = circle.time + 365 * 24 * 3_600_000_000
        let records = (0..<4_200).map { SimulatedMachine.record("\($0)", nil, hlc: later) }
        circle.commit(records, by: first)
        circle.commit([SimulatedMachine.record("one more", nil, hlc: later)], by: first)
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.futureCount == records.count)
        second.pull(circle.transport, time: later)
        #expect(second.replica.futureCount == 0 && second.replica.rows.all.count == records.count + 1)
    }

    @Test("Keys are sought in no batch whose author no member has introduced, however many a place makes up")
    func madeUpIntroductions() throws {
        let circle = Simulation.scripted(1)
        let first = circle.machines[0]
        let newcomer = circle.join(first)
        let made = try #require(first.replica.membership.currentGeneration)
        let share = KeyShare(
            recipient: newcomer.id, encapsulated: [4] + [UInt8](repeating: 0, count: 64),
            box: [UInt8](repeating: 0, count: KeyShare.boxSize))
        let (madeUp, next) = (SimulatedKeys(circle.dice), SimulatedKeys(circle.dice))
        let statements: [SyncStatement] = [
            .share(Generation(number: made.number, commitment: made.commitment, shares: [share])),
            .add(Addition(madeUp.own)), .add(Addition(next.own)), .recovery(next.own, announcement: .none),
        ]
        for device in [madeUp.id, next.id, first.id] {
            for seq in 100..<200 as Range<UInt64> {
                let header = SyncHeader(
                    circle: circle.transport.circle, device: device, seq: seq, previous: BatchHash([1]),
                    generation: .none, salt: .none)
                let batch = SyncBatch(
                    header, statements, sealed: [], sealedHash: madeUp.hash([]), sign: madeUp.sign)
                _ = newcomer.replica.receive(batch.bytes ?? [], in: batch.slot, now: circle.time, newcomer.keys)
            }
        }
        newcomer.pull(circle.transport, time: circle.time)
        #expect(newcomer.keys.holds(made.id) && newcomer.replica.membership.members[newcomer.id] != nil)
        #expect(newcomer.keys.soughtIn.subtracting([first.id]).isEmpty)
        // Forged ones are looked at once.
        #expect(newcomer.keys.verified < 400)
    }

    @Test("A newcomer gets in where the log that brings its keys has more batches than may wait")
    func longLog() {
        let circle = Simulation.scripted(1)
        let first = circle.machines[0]
        for number in 0..<4_200 {
            first.write("mail", "\(number)", time: circle.time)
            circle.publish(first)
        }
        let newcomer = circle.join(first)
        for _ in 0..<2 { newcomer.pull(circle.transport, time: circle.time) }
        #expect(newcomer.value("mail") == "4199")
    }

    @Test("A deletion under a clock that was years ahead takes no later change of its machine along")
    func wrongClock() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let later = circle.time + 10 * 365 * 24 * 3_600_000_000
        first.write("mail", "value", time: later)
        first.write("mail", nil, time: later)
        for _ in 0..<3 {
            circle.settle(rounds: 2)
            for machine in circle.machines { #expect(machine.replica.collect() == 0) }
        }
        first.write("web", "today", time: circle.time)
        circle.settle(rounds: 2)
        #expect(second.value("web") == "today" && first.replica.stampFloor < later)
    }

    @Test("No signature of a snapshot's statements is checked twice, in whatever order they are")
    func longChain() throws {
        let circle = Simulation.scripted(3)
        let (first, hostile) = (circle.machines[0], circle.machines[2])
        let chain = (0...40).map { _ in SimulatedKeys(circle.dice) }
        func statement(_ seq: UInt64, by author: SimulatedKeys, _ next: SimulatedKeys, _ signer: SimulatedKeys)
            -> SyncBatch
        {
            let header = SyncHeader(
                circle: circle.transport.circle, device: author.id, seq: seq,
                previous: seq == 1 ? .none : BatchHash([1]), generation: .none, salt: .none)
            return SyncBatch(
                header, [.add(Addition(next.own))], sealed: [], sealedHash: first.keys.hash([]), sign: signer.sign)
        }
        let begin = statement(99, by: hostile.keys, chain[0], hostile.keys)
        let links = zip(chain, chain.dropFirst()).map { statement(1, by: $0, $1, $0) }
        let forged = (100..<140).map { statement($0, by: hostile.keys, chain[0], chain[0]) }
        var count = 0
        circle.announce(by: hostile) { content in
            content.stating = forged + links.reversed() + [begin] + content.stating
            count = content.stating.count
        }
        circle.settle(rounds: 1)
        let newcomer = circle.join(first)
        circle.settle(rounds: 1)
        let (bytes, parts) = try #require(circle.transport.announcements(for: newcomer.id).first)
        let before = newcomer.keys.verified
        let isRead = newcomer.replica.start(
            from: bytes, parts: parts, introducer: first.id, now: circle.time, newcomer.keys)
        #expect(!isRead && newcomer.keys.verified - before <= count)
    }

    @Test("A newcomer gets in where its keys know of too many machines to take keys from all")
    func unknownToKeys() {
        let circle = Simulation.scripted(2)
        let other = circle.join(circle.machines[0])
        circle.settle(rounds: 2)
        let stranger = circle.join(circle.machines[0])
        stranger.pull(circle.transport, time: circle.time)
        for number in 1...2 as ClosedRange<UInt8> {
            stranger.replica.state(.want(GenerationID([number])))
            circle.publish(stranger)
        }
        circle.settle(rounds: 2)
        let newcomer = circle.join(other)
        newcomer.keys.seeksNothingOf = [stranger.id]
        newcomer.replica.keepsBack = true
        for (slot, bytes) in circle.transport.deliveries(to: newcomer.id, after: [:]) {
            _ = newcomer.replica.receive(bytes, in: slot, now: circle.time, newcomer.keys)
        }
        let isWhole = newcomer.replica.hasAllLogs(now: circle.time, newcomer.keys)
        #expect(isWhole)
        newcomer.replica.readAll(now: circle.time, newcomer.keys)
        #expect(newcomer.replica.membership.machines.contains(newcomer.id))
    }

    @Test("A newcomer reads logs of which there is no room for all at once in several looks")
    func newcomer() {
        let circle = Simulation.scripted(2)
        let first = circle.machines[0]
        for number in 0..<20 {
            let value = number == 16 ? "small" : String(repeating: "x", count: 1 << 20)
            let record = SimulatedMachine.record("mail \(number)", value, hlc: circle.time + UInt64(number))
            circle.commit([record], by: first)
        }
        let newcomer = circle.join(first)
        for _ in 0..<2 {
            newcomer.replica.keepsBack = true
            let shown = circle.transport.deliveries(to: newcomer.id, after: newcomer.replica.logs)
            for (slot, bytes) in shown.sorted(by: { ($0.0.device, $0.0.seq) < ($1.0.device, $1.0.seq) }) {
                _ = newcomer.replica.receive(bytes, in: slot, now: circle.time, newcomer.keys)
            }
            let isWhole = newcomer.replica.hasAllLogs(now: circle.time, newcomer.keys)
            #expect(isWhole)
            newcomer.replica.readAll(now: circle.time, newcomer.keys)
        }
        #expect(newcomer.replica.membership.machines.contains(newcomer.id) && newcomer.value("mail 19") != nil)
    }
}
