import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Notes of a keychain for the other machines of a circle.
@Suite("Records of a circle")
struct CircleTests {
    private let keychain: WritePathKeychain

    init() throws { keychain = try WritePathKeychain() }

    private func settle() throws {
        try keychain.circle.settle(try keychain.circle.marks())
        #expect(try keychain.circle.marks().isEmpty)
    }

    @Test("Every way in which an item changes marks its record, and no other", arguments: WritePath.all)
    func marks(_ path: WritePath) throws {
        try keychain.circle.enter()
        try path.prepare(keychain)
        try settle()
        let before = try keychain.rows()
        try path.run(keychain)
        let marks = try keychain.circle.marks()
        let changed = try keychain.rows().filter { before[$0.key]?.data != $0.value.data }
        #expect(Set(marks.map(\.primaryKey)) == Set(changed.keys))
        #expect(marks.count == path.marks)
        #expect(marks.allSatisfy { $0.stamp > 0 })
    }

    @Test("A keychain of no circle notes nothing and leaves no tombstone", arguments: WritePath.all)
    func alone(_ path: WritePath) throws {
        try path.prepare(keychain)
        if path.testDescription != "a deleted tombstone" { try path.run(keychain) }
        #expect(try keychain.count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sync%'") == 0)
        #expect(try keychain.rows().allSatisfy { !$0.value.isTombstone })
        #expect(try keychain.circle.marks().isEmpty)
    }

    // MARK: - Entering and leaving

    @Test("Who enters a circle has the items marked that are there, under the dates they have")
    func enters() throws {
        try keychain.addTogether(["a", "b"])
        try keychain.add("c", ["pdmn": .string("aku")])
        try keychain.engine.add("d", "not for all devices")
        try keychain.circle.enter()
        #expect(try keychain.circle.marks().map(\.stamp) == [0, 0])
        try settle()
        try keychain.circle.enter()
        #expect(try keychain.circle.marks().isEmpty)
    }

    @Test("Who leaves a circle keeps all items, and tombstones and marks go")
    func leaves() throws {
        try keychain.circle.enter()
        try keychain.addTogether(["a", "b"])
        try keychain.delete("a")
        for _ in 0..<2 { try keychain.circle.leave() }
        #expect(try keychain.rows().map(\.value.isTombstone) == [false])
        #expect(try keychain.count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'sync%'") == 0)
        #expect(try keychain.engine.verify().damage.isEmpty)
        try keychain.delete("b")
        #expect(try keychain.rows().isEmpty)
    }

    @Test("What another process does is noticed with the next change")
    func other() throws {
        let other = CircleRecords(try TestEngine(in: keychain.directory).engine)
        try other.enter()
        try keychain.add("a")
        try keychain.delete("a")
        #expect(try other.marks().count == 1)
        #expect(try keychain.rows().map(\.value.isTombstone) == [true])
        try other.leave()
        try keychain.add("a")
        try keychain.delete("a")
        #expect(try keychain.rows().isEmpty)
    }

    // MARK: - Stamps

    private func set(_ now: Int64) { keychain.engine.engine.exclusively { $0.store.clock = { now } } }

    @Test("A change has the time as its stamp, and is later than the last one though the clock was set back")
    func clockSetBack() throws {
        try keychain.circle.enter()
        set(2_000)
        try keychain.add("a")
        #expect(try keychain.circle.marks().map(\.stamp) == [2_000])
        for now in [Int64(2_000), 5, -1] {
            set(now)
            try keychain.update("a", ["v_Data": .data([1])])
        }
        #expect(try keychain.circle.marks().map(\.stamp) == [2_003])
        set(3_000)
        try keychain.delete("a")
        #expect(try keychain.circle.marks().map(\.stamp) == [3_000])
    }

    @Test("A new record is above the floor")
    func floor() throws {
        try keychain.circle.enter()
        try keychain.engine.tamper("UPDATE synccircle SET floor = 5000")
        set(100)
        try keychain.add("a")
        #expect(try keychain.circle.marks().map(\.stamp) == [5_001])
    }

    @Test("A record that has changed again since it was told stays marked")
    func changedAgain() throws {
        try keychain.circle.enter()
        try keychain.add("a")
        let told = try keychain.circle.marks()
        try keychain.update("a", ["v_Data": .data([1])])
        try keychain.circle.settle(told)
        #expect(try keychain.circle.marks().count == 1)
    }

    /// Ways in which an item leaves a circle and stays on other machines.
    private static let departures: [WritePath] = [
        WritePath("a program that goes with its group", marks: 0) {
            try $0.install()
        } _: {
            try $0.uninstall()
        },
        WritePath("a class of this device alone", marks: 0) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["pdmn": .string("cku")])
        },
        WritePath("damage, and an item of this device alone in its place", marks: 0) {
            try $0.add("a")
        } _: {
            try $0.engine.tamper("UPDATE genp SET meta = zeroblob(length(meta))")
            try $0.add("a", ["pdmn": .string("cku")])
        },
    ]

    @Test("An item that leaves the circle leaves no record, and what comes again is later", arguments: departures)
    func departs(_ path: WritePath) throws {
        try keychain.circle.enter()
        set(9_000)
        try path.prepare(keychain)
        try path.run(keychain)
        #expect(try keychain.count("SELECT count(*) FROM syncrow") == 0)
        set(10)
        try keychain.add("b")
        #expect(try keychain.circle.marks().map(\.stamp) == [9_001])
    }

    @Test("A stamp far ahead of the clock does not reach other records when its own goes")
    func farAhead() throws {
        try keychain.circle.enter()
        try keychain.add("a")
        set(10)
        try keychain.update("a", ["pdmn": .string("cku")])
        try keychain.add("b")
        #expect(try keychain.circle.marks().map(\.stamp) == [10])
    }

    // MARK: - Tombstones

    @Test(
        "A deleted item leaves a tombstone with its reference and its name, and a new one takes its place",
        .rule("items.tombstone.left", "items.tombstone.replaced", "items.tombstone.without"),
        arguments: [[:], ["u_Tomb": RawValue.boolean(false)]])
    func tombstone(_ more: [String: RawValue]) throws {
        try keychain.circle.enter()
        try keychain.add("a", ["labl": .string("label")])
        let uuids = "SELECT hex(uuid) = (SELECT hex(uuid) FROM genp) FROM genp"
        try keychain.engine.tamper("CREATE TABLE kept AS SELECT uuid FROM genp")
        try keychain.delete("a", more)
        #expect(try keychain.count("SELECT count(*) FROM genp JOIN kept USING (uuid) WHERE tomb = 1") == 1)
        #expect(try keychain.count("SELECT count(*) FROM genp WHERE labl IS NULL AND acct IS NOT NULL") == 1)
        #expect(try keychain.count(uuids) == 1)
        try keychain.add("a")
        #expect(try keychain.rows().map(\.value.isTombstone) == [false])
    }

    @Test("A tombstone stays when somebody deletes it, for it is not theirs alone")
    func tombstoneStays() throws {
        try keychain.circle.enter()
        try keychain.add("a")
        try keychain.delete("a")
        try keychain.delete("a", ["tomb": .boolean(true)])
        #expect(try keychain.rows().map(\.value.isTombstone) == [true])
    }

    @Test("An item under another name leaves a tombstone of the old one", .rule("items.update.rename"))
    func renamed() throws {
        try keychain.circle.enter()
        try keychain.add("a")
        try keychain.update("a", ["labl": .string("l")])
        #expect(try keychain.rows().count == 1)
        try keychain.update("a", ["acct": .string("b")])
        #expect(try keychain.rows().map(\.value.isTombstone).sorted { !$0 && $1 } == [false, true])
    }

    @Test("An item of this device alone leaves none")
    func thisDevice() throws {
        try keychain.circle.enter()
        try keychain.add("a", ["pdmn": .string("cku")])
        try keychain.delete("a")
        #expect(try keychain.count("SELECT count(*) FROM genp") == 0)
    }

    // MARK: - Damage

    @Test(
        "Numbers in the tables that make no sense hinder no change, which is marked under one that does",
        arguments: [
            "hlc = 9223372036854775807", "hlc = -5", "hlc = 'text'", "hlc = 1e300", "hlc = x'00'", "dirty = 'x'",
        ])
    func damagedRecord(_ damage: String) throws {
        try keychain.circle.enter()
        try keychain.add("a")
        try keychain.engine.tamper("UPDATE syncrow SET \(damage)")
        _ = try keychain.circle.marks()
        try keychain.update("a", ["v_Data": .data([1])])
        let stamps = try keychain.circle.marks().map(\.stamp)
        #expect(stamps.count == 1 && stamps[0] > 0 && stamps[0] < CircleTables.endOfTime)
        #expect(try keychain.engine.verify().damage.isEmpty)
    }

    @Test(
        "The same holds for the floor",
        arguments: ["floor = 9223372036854775807", "floor = 'text'", "floor = x'00'", "floor = -1", "id = 1"])
    func damagedFloor(_ damage: String) throws {
        try keychain.circle.enter()
        try keychain.engine.tamper("UPDATE synccircle SET \(damage)")
        if damage == "id = 1" { try keychain.engine.tamper("DELETE FROM synccircle") }
        try keychain.add("a")
        #expect(try keychain.circle.marks().allSatisfy { $0.stamp > 0 && $0.stamp < CircleTables.endOfTime })
        #expect(try keychain.circle.marks().count == 1)
    }

    @Test("A store without one of the tables of a circle is not written to", arguments: CircleTables.names)
    func half(_ table: String) throws {
        try keychain.circle.enter()
        try keychain.engine.tamper("DROP TABLE \(table)")
        #expect(refusal { try keychain.add("a") }?.rule == .damaged)
        #expect(try keychain.engine.verify().file.contains("1 tables"))
    }

    @Test("A damaged page of the records refuses items for all devices, which would stay unmarked, and no others")
    func damagedPage() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/keychain/keychain.db"
        do { try CircleRecords(try TestEngine(in: directory).engine).enter() }
        do {
            let database = try Database(path: path, sharing: .shared)
            try database.putLogAway()
            let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'syncrow'"
            let (root, size) = (try database.integer(sql, ""), try database.integer("PRAGMA page_size", ""))
            let (page, count) = (try #require(root), try #require(size))
            let damage = [UInt8](repeating: 0x55, count: Int(count))
            try FileDescriptor.open(path, O_RDWR).write(damage.span, at: UInt64((page - 1) * count))
        }
        let engine = try TestEngine(in: directory)
        #expect(refusal { try engine.add("a", "v", more: ["sync": .boolean(true)]) }?.rule == .damaged)
        try engine.add("b", "v")
        #expect(try engine.values() == ["b": "v"])
        let database = try Database(path: path, sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM genp", "be counted") == 1)
    }

    @Test("A store of a circle that was made to look older keeps its tombstones")
    func madeOlder() throws {
        let directory = try TemporaryDirectory()
        do {
            let engine = try TestEngine(in: directory)
            try CircleRecords(engine.engine).enter()
            try engine.add("a", "v", more: ["sync": .boolean(true)])
            var builder = ItemRequestBuilder(.delete)
            try builder.set("class", .string("genp"))
            try builder.set("sync", .boolean(true))
            _ = try engine.write(try builder.build())
            try engine.tamper("PRAGMA user_version = 6")
        }
        #expect(try TestEngine(in: directory).verify().damage.isEmpty)
        let database = try Database(path: "\(directory.path)/keychain/keychain.db", sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM genp WHERE tomb = 1", "be counted") == 1)
        #expect(try database.integer("PRAGMA user_version", "be read") == 8)
    }

    @Test("A row that somebody has made a tombstone stays when its keychain leaves the circle")
    func forgedTombstone() throws {
        try keychain.circle.enter()
        try keychain.add("a")
        try keychain.engine.tamper("UPDATE genp SET tomb = 1")
        try keychain.circle.leave()
        #expect(try keychain.count("SELECT count(*) FROM genp") == 1)
    }
}
