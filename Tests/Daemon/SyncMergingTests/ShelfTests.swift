import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// Shelves of a circle: the keys of files, which each machine has sealed for itself.
@Suite("Shelves that travel")
struct ShelfTests {
    private static let photos = SimulatedMachine.shelfRecord("photos")

    /// The smallest version that a reader of a machine's last batch must know.
    private static func least(of machine: SimulatedMachine, in circle: Simulation) throws -> UInt16 {
        let bytes = try #require(circle.transport.logs[machine.id]?.max { $0.key < $1.key }?.value)
        return try SyncBatch(decoding: bytes, hash: machine.keys.hash).header.least
    }

    /// A circle of two to which the first machine has brought a shelf.
    private static func shared() -> (circle: Simulation, first: SimulatedMachine, second: SimulatedMachine) {
        let circle = Simulation.scripted(2)
        circle.machines[0].makeShelf("photos", time: circle.time)
        circle.settle(rounds: 2)
        return (circle, circle.machines[0], circle.machines[1])
    }

    @Test("A shelf comes to the other machine, which has its key under a seal of its own")
    func arrives() {
        let (_, first, second) = Self.shared()
        #expect(second.key(of: "photos") == "key" && second.replica.quarantined.isEmpty)
        let sealed = [first, second].map { $0.replica.rows[Self.photos]?.record.shelf?.key.array }
        #expect(sealed[0] != sealed[1])
    }

    @Test("A batch with a shelf or its deletion is for readers that know shelves, and one with items for all")
    func leastVersions() throws {
        let circle = Simulation.scripted(2)
        let first = circle.machines[0]
        first.write("mail", "value", time: circle.time)
        circle.publish(first)
        #expect(try Self.least(of: first, in: circle) == SyncLimits.firstVersion)
        first.makeShelf("photos", time: circle.time)
        circle.publish(first)
        #expect(try Self.least(of: first, in: circle) == SyncLimits.shelfVersion)
        first.deleteShelf("photos", time: circle.time)
        circle.publish(first)
        #expect(try Self.least(of: first, in: circle) == SyncLimits.shelfVersion)
    }

    @Test("A shelf that is deleted goes from the other machine, and the version that was there is kept as a loser")
    func deletion() {
        let (circle, first, second) = Self.shared()
        first.deleteShelf("photos", time: circle.time)
        circle.settle(rounds: 2)
        #expect(second.replica.rows[Self.photos]?.isTombstone == true && second.key(of: "photos") == nil)
        #expect(second.replica.rows.losers[Self.photos]?.count == 1)
    }

    @Test("Shelves that two machines make for the same files at one time are both there, each with its key")
    func conflicts() {
        let circle = Simulation.scripted(2)
        for (number, machine) in circle.machines.enumerated() {
            machine.makeShelf("photos \(number)", "key \(number)", time: circle.time)
        }
        circle.settle(rounds: 3)
        for machine in circle.machines {
            #expect((0..<2).map { machine.key(of: "photos \($0)") } == ["key 0", "key 1"])
        }
    }

    @Test("A shelf that a backup has brought to two machines is one, and keeps its key on both")
    func restored() {
        let circle = Simulation.scripted(2)
        for machine in circle.machines { machine.makeShelf("photos", time: circle.time) }
        circle.settle(rounds: 3)
        let stamps = circle.machines.map { $0.replica.rows[Self.photos]?.stamp }
        #expect(stamps[0] != nil && stamps[0] == stamps[1])
        #expect(circle.machines.allSatisfy { $0.key(of: "photos") == "key" && $0.replica.quarantined.isEmpty })
    }

    @Test("A shelf with the id of one that is there and with another key is not taken, however late it is")
    func replaced() {
        let (circle, first, second) = Self.shared()
        second.makeShelf("photos", "another key", time: circle.time + 1_000)
        circle.settle(rounds: 2)
        #expect(first.key(of: "photos") == "key" && first.replica.quarantined == [second.id: 1])
    }

    @Test("A shelf that was deleted and comes back from a backup is there again on both machines")
    func comesBack() {
        let (circle, first, second) = Self.shared()
        first.deleteShelf("photos", time: circle.time)
        circle.settle(rounds: 2)
        second.makeShelf("photos", time: circle.time)
        circle.settle(rounds: 2)
        #expect(circle.machines.allSatisfy { $0.key(of: "photos") == "key" })
    }

    @Test("A name that a member gives a shelf of others splits nobody, and each keeps the name that came first")
    func names() {
        let (circle, first, second) = Self.shared()
        let there = second.replica.rows[Self.photos]?.record
        second.makeShelf("photos", called: "mine", time: circle.time + 1_000)
        circle.settle(rounds: 2)
        let stamps = circle.machines.map { $0.replica.rows[Self.photos]?.stamp }
        #expect(there != nil && stamps[0] == stamps[1] && stamps[0]?.device == second.id)
        #expect(first.key(of: "photos") == "key" && first.replica.quarantined.isEmpty)
        #expect(Self.isEndorsed("key", called: "mine"))
    }

    @Test("A shelf that is far ahead of the clock waits for its time, and then for an unlocked machine")
    func farAhead() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let later = circle.time + 2 * 24 * 3_600_000_000
        first.makeShelf("photos", time: later)
        first.write("mail", "value", time: later)
        circle.publish(first)
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.futureCount == 2)
        circle.lock(second)
        second.replica.unlock(now: later, second.keys)
        #expect(second.replica.futureCount == 1 && second.value("mail") == "value" && second.key(of: "photos") == nil)
        circle.lock(second)
        second.replica.unlock(now: later, second.keys)
        #expect(second.replica.futureCount == 0 && second.key(of: "photos") == "key")
    }

    @Test("A locked machine holds a shelf of any class until it is unlocked, and publishes none")
    func locked() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.lock(second)
        first.makeShelf("photos", time: circle.time)
        second.makeShelf("letters", time: circle.time)
        circle.settle(rounds: 2)
        #expect(second.key(of: "photos") == nil && second.replica.heldCount == 1 && first.key(of: "letters") == nil)
        circle.lock(second)
        circle.settle(rounds: 2)
        #expect(second.key(of: "photos") == "key" && first.key(of: "letters") == "key")
    }

    @Test("The deletion of a shelf waits for an unlocked machine as the shelf does, so that this comes back nowhere")
    func deletionWaits() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let later = circle.time + 2 * 24 * 3_600_000_000
        first.makeShelf("photos", time: later)
        circle.publish(first)
        second.pull(circle.transport, time: circle.time)
        circle.lock(second)
        circle.time = later
        first.deleteShelf("photos", time: later)
        circle.publish(first)
        for _ in 0..<3 {
            circle.exchange(from: second, to: first)
            circle.exchange(from: first, to: second)
            for machine in circle.machines { _ = machine.replica.collect() }
        }
        #expect(second.replica.heldCount == 1 && second.replica.futureCount == 1)
        circle.lock(second)
        circle.settle(rounds: 2)
        #expect(circle.machines.allSatisfy { $0.key(of: "photos") == nil })
    }

    @Test("Versions that come together have the shelves they meet brought out together, and items bring out none")
    func broughtTogether() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        for number in 0..<5 { first.makeShelf("photos \(number)", time: circle.time) }
        first.write("mail", "value", time: circle.time)
        circle.publish(first)
        second.replica.rows.brought = []
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.rows.brought == [5] && second.key(of: "photos 4") == "key")
    }

    /// A shelf as no honest machine writes it.
    private static func spoiled(_ shelf: SyncRecord, keyBytes: Int, name: String = "") -> SyncRecord {
        let body = SyncShelf(
            id: SimulatedMachine.shelfID("photos"), made: 1, name: name, commitment: sha256([]),
            key: SecretBytes(count: keyBytes))
        return shelf.with(body: body.encoded(), isBoxed: false)
    }

    @Test("A shelf that says it is of another class, has no key or too long a one, or is in no box is taken nowhere")
    func hostile() {
        let circle = Simulation.scripted(2)
        let (reader, hostile) = (circle.machines[0], circle.machines[1])
        let good = hostile.shelf("photos", hlc: circle.time)
        func head(_ kind: UInt8, _ itemClass: UInt8, _ protection: UInt8) -> SyncRecord {
            SyncRecord(
                kind: kind, itemClass: itemClass, protection: protection, rid: good.rid, hlc: good.hlc,
                body: good.withBody { SecretBytes(copying: $0) })
        }
        let boxed = [
            head(SyncRecord.Kind.shelf, 1, 2), head(SyncRecord.Kind.shelf, 5, 2), head(SyncRecord.Kind.shelf, 6, 1),
            Self.spoiled(good, keyBytes: 0), Self.spoiled(good, keyBytes: SyncShelf.keyBytes + 1),
            Self.spoiled(good, keyBytes: 64, name: String(repeating: "n", count: SyncShelf.nameBytes + 1)),
            SimulatedMachine.record("photos", "an item's", hlc: circle.time).with(kind: SyncRecord.Kind.shelf),
        ]
        let open = [
            good, head(SyncRecord.Kind.item, 6, 2), head(SyncRecord.Kind.tombstone, 5, 2),
            head(SyncRecord.Kind.tombstone, 6, 2),
        ]
        for record in boxed { circle.commitShelf(record, by: hostile) }
        for record in open { circle.commitShelf(record, isBoxed: false, by: hostile) }
        circle.commitShelf(good, least: SyncLimits.firstVersion, by: hostile)
        reader.pull(circle.transport, time: circle.time)
        #expect(reader.replica.rows.all.isEmpty)
        #expect(reader.replica.quarantined == [hostile.id: boxed.count + open.count + 1])
        circle.commitShelf(good, by: hostile)
        reader.pull(circle.transport, time: circle.time)
        #expect(reader.key(of: "photos") == "key")
    }

    /// Whether another machine endorses what the first one says of its shelf.
    private static func isEndorsed(_ key: String, called name: String = "photos") -> Bool {
        let circle = Simulation.scripted(2)
        let (reader, author) = (circle.machines[0], circle.machines[1])
        author.makeShelf("photos", time: circle.time)
        circle.settle(rounds: 3)
        circle.announce(by: author) { content in
            guard let index = content.records.firstIndex(where: { $0.rid == Self.photos }) else { return }
            let old = content.records[index]
            let made = author.shelf("photos", key, called: name, hlc: old.hlc).with(origin: old.origin)
            content.records[index] = made
        }
        reader.pull(circle.transport, time: circle.time)
        let parts = circle.transport.parts(of: author.id, author.replica.logs[author.id]?.seq ?? 0)
        return reader.replica.examine(parts, of: author.id, reader.keys)
    }

    @Test("A snapshot with a shelf that each machine seals for itself is endorsed, and one with another key is not")
    func snapshots() {
        #expect(Self.isEndorsed("key"))
        #expect(!Self.isEndorsed("another key"))
    }
}

extension Simulation {
    /// Commits one record in a batch of its own.
    func commitShelf(
        _ record: SyncRecord, isBoxed: Bool = true, least: UInt16 = SyncLimits.shelfVersion,
        by machine: SimulatedMachine
    ) {
        let header = header(of: machine, least: least)
        let sent = isBoxed ? machine.keys.box([record], header) ?? [] : [record]
        let floor = machine.replica.logs[machine.id]?.floor ?? 0
        let content = SyncContent(positions: [], floor: floor, records: sent)
        let sealed = machine.keys.seal(content.encoded(), header) {
            SyncBatch.associated(header, [], sealedSize: $0)
        }
        _ = transport.commit(
            SyncBatch(header, [], sealed: sealed, sealedHash: machine.keys.hash(sealed), sign: machine.keys.sign))
        machine.pull(transport, time: time)
    }
}

extension SyncRecord {
    fileprivate func with(kind: UInt8) -> SyncRecord {
        SyncRecord(
            kind: kind, itemClass: ShelfID.classNumber, protection: 2, rid: rid, hlc: hlc,
            body: withBody { SecretBytes(copying: $0) })
    }
}

extension SecretBytes {
    fileprivate var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}
