import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Real stores with real cryptography. Between two calls, all that is left is in the stores.
@Suite("Keychains of a circle")
struct CircleMemberTests {
    @Test("An item that is added, changed or deleted on one machine is so on the other, under the same reference")
    func changes() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.add("of the first", value: "1")
        try second.add("of the second", value: "2")
        try circle.exchange()
        for keychain in [first, second] {
            #expect(try keychain.values() == ["of the first": "1", "of the second": "2"])
        }
        let before = try second.column("SELECT uuid FROM genp WHERE tomb = 0 ORDER BY uuid")
        try first.update("of the first", ["v_Data": .data(Array("3".utf8))])
        try first.update("of the second", ["v_Data": .data(Array("4".utf8))])
        try circle.exchange()
        #expect(try second.values() == ["of the first": "3", "of the second": "4"])
        #expect(try second.column("SELECT uuid FROM genp WHERE tomb = 0 ORDER BY uuid") == before)
        try second.delete("of the first")
        try circle.exchange()
        for keychain in [first, second] {
            #expect(try keychain.values() == ["of the second": "4"])
            #expect(try keychain.engine.verify().damage.isEmpty)
            #expect(try keychain.circle.marks().isEmpty)
        }
    }

    @Test("Of two changes of one password the later one is on both machines, and the other one is in the history")
    func onePassword() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.add("mail", value: "old")
        try circle.exchange()
        try first.update("mail", ["v_Data": .data(Array("earlier".utf8))])
        try second.update("mail", ["v_Data": .data(Array("later".utf8))])
        let versions = try [first.versions(), second.versions()]
        let moment = Clock.secondsSinceReferenceDate
        try circle.exchange()
        for keychain in [first, second] { #expect(try keychain.values() == ["mail": "later"]) }
        #expect(try first.versions() == (versions[0] ?? 0) + 1)
        #expect(try second.versions() == (versions[1] ?? 0) + 1)
        try first.restore("mail", asOf: moment)
        #expect(try first.values() == ["mail": "earlier"])
    }

    @Test("A machine that joins keeps its items, and of two of one name the later is on both machines")
    func joins() throws {
        let circle = try TwoKeychains { first, second in
            try second.addTogether(["deleted there"])
            try second.add("both", value: "earlier")
            try first.add("both", value: "later")
        }
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        for keychain in [first, second] {
            #expect(try keychain.values()["both"] == "later")
            #expect(try keychain.values().count == 2)
        }
    }

    @Test("An item that an uninformed newcomer has stays though the circle had deleted it before")
    func deletedBefore() throws {
        let circle = try TwoKeychains { first, second in
            try second.add("mail", value: "of the second")
            try CircleRecords(first.engine.engine).enter()
            try first.add("mail", value: "of the first")
            try first.delete("mail")
        }
        for machine in [circle.first, circle.second] {
            #expect(try machine.keychain.values() == ["mail": "of the second"])
        }
    }

    @Test("Items of one machine alone, of units and those that are not for all machines do not travel")
    func stays() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.add("of this device", ["pdmn": .string("aku")])
        try first.engine.add("not for all", "value")
        let unit = CallerIdentity(user: 0, process: 0, program: "unit", groups: ["unit:name.service"])
        var builder = ItemRequestBuilder(.add)
        for (key, value) in ["class": RawValue.string("genp"), "acct": .string("of a unit"), "sync": .boolean(true)] {
            try builder.set(key, value)
        }
        try builder.set("v_Data", data: [1].span)
        _ = try first.engine.perform(try builder.build(), from: unit)
        try circle.exchange()
        #expect(try second.count("SELECT count(*) FROM genp") == 0)
    }

    @Test("A record that is no item that may travel is counted and not taken")
    func forged() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first, circle.second)
        let forgeries: [[(AttributeID, AttributeValue)]] = [
            [(.accessGroup, .string("unit:name.service"))], [(.accessible, .string("cku"))],
            [(.multiUser, .data([1]))], [(.accessControl, .data(Array("ak;1".utf8)))], [(.synchronizable, .number(0))],
            [(.accessGroup, .string("*"))], [(.modificationDate, .date(.nan))],
        ]
        for changes in forgeries {
            let body = try Self.body(changes)
            try first.member.perform { replica, now in
                _ = replica.write(RecordID([1]), now: now) { hlc in
                    SyncRecord(kind: 1, itemClass: 1, protection: 2, rid: RecordID([1]), hlc: hlc, body: body)
                }
                _ = replica.compose(first.keys)
            }
            try circle.publish(first)
        }
        try circle.pull(second)
        #expect(try second.member.perform { replica, _ in replica.quarantined } == [first.keys.id: forgeries.count])
        #expect(try second.keychain.count("SELECT count(*) FROM genp") == 0)
    }

    private static func body(_ changes: [(AttributeID, AttributeValue)]) throws -> SecretBytes {
        var attributes: [AttributeID: AttributeValue] = [
            .accessGroup: .string("test"), .accessible: .string("ck"), .synchronizable: .number(1),
            .account: .string("forged"), .creationDate: .date(1), .modificationDate: .date(1),
        ]
        for (id, value) in changes { attributes[id] = value }
        let buffer = SecretBuffer(capacity: 256)
        for (id, value) in attributes.sorted(by: { $0.key < $1.key }) { buffer.append(id, value) }
        let list = try AttributeList(parsing: buffer.finish())
        return SyncItem(list, value: SecretBytes(copying: [1].span)).encoded()
    }

    @Test("A record that needs an unlocked machine waits in the store, in its box, until the machine is unlocked")
    func locked() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first, circle.second)
        second.keys.isUnlocked = false
        try first.keychain.add("closed", ["pdmn": .string("ak")], value: "a secret value")
        try first.keychain.add("open", ["pdmn": .string("ck")], value: "open")
        try circle.exchange()
        #expect(try second.keychain.values() == ["open": "open"])
        let pieces = try second.keychain.column("SELECT value FROM syncstate")
        #expect(!pieces.contains { $0.contains(Array("a secret value".utf8)) })
        second.keys.isUnlocked = true
        try second.member.perform { _, _ in }
        #expect(try second.keychain.values() == ["open": "open", "closed": "a secret value"])
    }

    // MARK: - Failures

    /// Lets writes of a keychain fail after a number that ``allow(_:on:)`` sets.
    private static func count(_ keychain: WritePathKeychain) throws {
        var statements = ["CREATE TEMP TABLE allowed (n INTEGER)", "INSERT INTO allowed VALUES (0)"]
        for table in ["genp", "history", "synccircle", "syncrow", "syncstate"] {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                statements.append(
                    "CREATE TEMP TRIGGER \(table)_\(event) BEFORE \(event) ON main.\(table) BEGIN "
                        + "UPDATE allowed SET n = n - 1; SELECT RAISE(ABORT, 'fails') FROM allowed WHERE n < 0; END")
            }
        }
        for statement in statements { try execute(statement, keychain) }
    }

    private static func allow(_ writes: Int, on keychain: WritePathKeychain) throws {
        try execute("UPDATE temp.allowed SET n = \(writes)", keychain)
    }

    private static func execute(_ statement: String, _ keychain: WritePathKeychain) throws {
        try keychain.engine.engine.exclusively { writer in
            Result { try writer.store.database.execute(statement, "be tried") }
        }.get()
    }

    private static func dump(_ keychain: WritePathKeychain) throws -> [[[UInt8]]] {
        try [
            "SELECT pk || data || tomb FROM genp ORDER BY pk", "SELECT name || value FROM syncstate ORDER BY name",
            "SELECT pk || hlc || dirty || coalesce(origin, '') FROM syncrow ORDER BY pk",
            "SELECT floor FROM synccircle",
        ].map(keychain.column)
    }

    /// Tries something with one write more each time, until it goes well. Until then nothing has changed.
    private static func failUntilDone(_ machine: TwoKeychains.Machine, _ body: () throws -> Void) throws -> Int {
        let (before, versions) = (try dump(machine.keychain), try machine.keychain.versions())
        for writes in 0..<200 {
            try allow(writes, on: machine.keychain)
            if refusal(body) == nil { return writes }
            #expect(try dump(machine.keychain) == before)
            #expect(try machine.keychain.versions() == versions)
        }
        return 0
    }

    @Test("A write that fails while versions of another machine are merged loses nothing and repeats nothing")
    func failedMerge() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first, circle.second)
        try first.keychain.addTogether(["mail", "gone"])
        try circle.exchange()
        try second.keychain.update("mail", ["v_Data": .data(Array("earlier".utf8))])
        try first.keychain.update("mail", ["v_Data": .data(Array("later".utf8))])
        try first.keychain.delete("gone")
        try first.keychain.add("new", value: "new")
        try circle.publish(first)
        let versions = try second.keychain.versions()
        try Self.count(second.keychain)
        #expect(try Self.failUntilDone(second) { try circle.pull(second) } > 8)
        #expect(try second.keychain.values() == ["mail": "later", "new": "new"])
        // The change of the second machine, and the deleted item.
        #expect(try second.keychain.versions() == (versions ?? 0) + 2)
        try Self.allow(1 << 40, on: second.keychain)
        try circle.exchange()
        #expect(try first.keychain.values() == ["mail": "later", "new": "new"])
    }

    @Test("A write that fails while changes are published loses nothing and repeats nothing")
    func failedPublishing() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first, circle.second)
        try Self.count(first.keychain)
        try Self.allow(1 << 40, on: first.keychain)
        for account in ["a", "b"] { try first.keychain.add(account, value: account) }
        var made: SyncBatch?
        #expect(
            try Self.failUntilDone(first) {
                made = try first.member.perform { replica, _ in replica.compose(first.keys) }
            } > 0)
        if let made { circle.commit(made) }
        #expect(
            try Self.failUntilDone(first) {
                try first.member.perform { replica, now in replica.confirm(now: now, first.keys) }
            } > 3)
        try Self.allow(1 << 40, on: first.keychain)
        try circle.exchange()
        #expect(try second.keychain.values() == ["a": "a", "b": "b"])
        #expect(try first.keychain.circle.marks().isEmpty)
    }
}
