import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore
@testable import SyncStore

/// A machine keeps in memory what its store has of its circle.
@Suite("A machine's memory of its circle")
struct CircleMemoryTests {
    /// A machine that keeps what it can from one change to the next.
    private final class Machine {
        let keychain: WritePathKeychain
        let keys: CircleTestKeys
        let member: CircleMember
        var memory = CircleMemory()
        /// How often it went on with what it had kept.
        var kept = 0

        init() throws {
            (keychain, keys) = (try WritePathKeychain(), try CircleTestKeys())
            member = CircleMember(keychain.engine.engine, keys)
        }

        @discardableResult
        func perform<Result>(_ body: (inout Replica<StoredRows>, UInt64) -> Result) throws -> Result {
            let before = memory.known.map(ObjectIdentifier.init)
            defer { if let before, memory.known.map(ObjectIdentifier.init) == before { kept += 1 } }
            return try member.perform(keeping: &memory, body)
        }

        func compose() throws -> SyncBatch? { try perform { [keys] replica, _ in replica.compose(keys) } }

        /// Why what is kept is not what would be read; nil when it is.
        func difference() throws -> String? {
            // The second one reads again what the first one has changed.
            for _ in 0..<2 { try perform { _, _ in } }
            guard let known = memory.known else { return "nothing is kept" }
            let (fresh, entries) = try keychain.engine.engine.withCircleItems { (items) throws(Refusal) in
                let pieces = try items.tables.reader.circleState()
                return (try StoredRows(items, me: keys.id, keys), try items.entries(pieces))
            }
            let rows = known.replica.rows
            if rows.all.values.contains(where: { !$0.record.isBare }) { return "a body is kept" }
            let texts = [rows, fresh].map { Self.text($0.all) }
            if texts[0] != texts[1] { return "\(texts)" }
            if rows.unpublished != fresh.unpublished || rows.tombstones != fresh.tombstones { return "an index" }
            if rows.places != fresh.places || rows.notes != fresh.notes { return "a place" }
            if rows.unnamed.keys != fresh.unnamed.keys || rows.older != fresh.older { return "what has no name" }
            let states = [known.replica.saved, entries].map { Dictionary($0.map { ($0.name, $0.value) }) { $1 } }
            return states[0] == states[1] ? nil : "the state"
        }

        private static func text(_ rows: [RecordID: SyncRow]) -> [String] {
            rows.map { rid, row in
                let place = row.place.map { "\($0.device.text) \($0.seq)" } ?? "here"
                let head = "\(row.record.kind) \(row.record.itemClass) \(row.record.protection)"
                return "\(rid.text) \(head) \(row.stamp.hlc) \(row.stamp.device.text) \(place)"
            }.sorted()
        }
    }

    private static func circle() throws -> (first: Machine, second: Machine, slots: Slots) {
        let (first, second, slots) = (try Machine(), try Machine(), Slots())
        try second.keychain.addTogether(["of the second", "both"])
        try first.keychain.add("both", value: "later")
        let genesis = SyncStatement.genesis(first.keys.own, random: BatchHash(Randomness.bytes(32)))
        let circle = CircleID(first.keys.hash(genesis.body).bytes)
        for machine in [first, second] { try machine.member.enter(circle, as: machine.keys.id) }
        try first.perform { replica, _ in replica.state(genesis) }
        try publish(first, slots)
        try first.perform { replica, _ in replica.state(.add(Addition(second.keys.own))) }
        for machine in [first, second, first, second] { try exchange(machine, slots) }
        return (first, second, slots)
    }

    private final class Slots { var list: [(slot: SyncSlot, bytes: [UInt8])] = [] }

    private static func publish(_ machine: Machine, _ slots: Slots) throws {
        while let batch = try machine.compose() {
            if let bytes = batch.bytes { slots.list.append((batch.slot, bytes)) }
            try machine.perform { [keys = machine.keys] replica, now in replica.confirm(now: now, keys) }
        }
    }

    private static func exchange(_ machine: Machine, _ slots: Slots) throws {
        try machine.perform { [keys = machine.keys] replica, now in
            for (slot, bytes) in slots.list { _ = replica.receive(bytes, in: slot, now: now, keys) }
            _ = replica.collect()
        }
        try publish(machine, slots)
    }

    private static let accounts = ["both", "of the second", "a", "b", "c"]

    /// Something that a program or the circle does.
    private static func step(_ machine: Machine, _ slots: Slots, _ dice: inout SplitMix64) throws {
        let account = accounts.randomElement(using: &dice) ?? "a"
        let isClosed = Bool.random(using: &dice)
        // An item may be there already, or not, or be closed: all of it is a refusal that changes nothing.
        switch Int.random(in: 0..<9, using: &dice) {
        case 0, 1: try? machine.keychain.add(account, ["pdmn": .string(isClosed ? "ak" : "ck")], value: "v")
        case 2: try? machine.keychain.update(account, ["v_Data": .data([1])])
        case 3: try? machine.keychain.update(account, ["acct": .string(accounts.randomElement(using: &dice) ?? "b")])
        case 4: try? machine.keychain.delete(account)
        case 5: machine.keys.isUnlocked.toggle()
        case 6: try? machine.keychain.update(account, ["pdmn": .string("cku")])
        default: try exchange(machine, slots)
        }
    }

    @Test("What is kept from one change to the next is what the store would say", arguments: [1, 2, 3, 4] as [UInt64])
    func exact(seed: UInt64) throws {
        let (first, second, slots) = try Self.circle()
        var dice = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let machine = Bool.random(using: &dice) ? first : second
            try Self.step(machine, slots, &dice)
            let difference = try machine.difference()
            #expect(difference == nil, "\(difference ?? "")")
        }
        #expect(first.kept > 20 && second.kept > 20)
    }

    @Test("A change costs one signature to its reader and a few calls for keys, however many items there are")
    func counts() throws {
        let (first, second, slots) = try Self.circle()
        try first.keychain.addTogether((0..<300).map { "account \($0)" })
        for machine in [first, second, first, second] { try Self.exchange(machine, slots) }
        #expect(try second.keychain.values().count == 302)
        let before = (first.keys.work, second.keys.work)
        #expect(before.0.calls < 20 && before.1.calls < 20)
        try first.keychain.update("account 7", ["v_Data": .data([1])])
        try Self.publish(first, slots)
        // It is named, and put into a box.
        #expect(first.keys.work.calls - before.0.calls == 2 && first.keys.work.records - before.0.records == 2)
        try second.perform { [keys = second.keys] replica, now in
            if let last = slots.list.last { _ = replica.receive(last.bytes, in: last.slot, now: now, keys) }
        }
        #expect(second.keys.work.signatures - before.1.signatures == 1)
        #expect(second.keys.work.calls - before.1.calls == 2 && second.keys.work.records - before.1.records == 2)
        let read = second.keys.work
        try second.perform { _, _ in }
        #expect(second.keys.work == read)
    }

    @Test("A change by another process, and one that fails, have everything read again")
    func readAgain() throws {
        let (first, _, slots) = try Self.circle()
        let before = first.memory.known.map(ObjectIdentifier.init)
        try first.perform { _, _ in }
        #expect(first.memory.known.map(ObjectIdentifier.init) == before)
        let other = try WritePathKeychain(in: first.keychain.directory)
        try other.add("of another process", value: "1")
        try first.perform { _, _ in }
        #expect(first.memory.known.map(ObjectIdentifier.init) != before)
        #expect(try first.difference() == nil)
        first.keys.fails = true
        #expect(refusal { try first.perform { replica, _ in replica.acknowledge() } } != nil)
        #expect(first.memory.known == nil)
        first.keys.fails = false
        try Self.exchange(first, slots)
        #expect(try first.difference() == nil)
    }
}
