import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A member in wrong hands says of its items that they were others before.
@Suite("Items that claim the persistent references of others")
struct ForgedRenameTests {
    private let circle: TwoKeychains
    private var hostile: TwoKeychains.Machine { circle.first }
    private var honest: TwoKeychains.Machine { circle.second }

    init() throws { circle = try TwoKeychains() }

    /// A record of an item that the other one's rules allow.
    private func record(
        _ account: String, _ group: String = "test", itemClass: ItemClass = .genericPassword, previous: RecordID?,
        hlc: UInt64 = 1
    ) throws -> SyncRecord {
        let buffer = SecretBuffer(capacity: 256)
        let attributes: [(AttributeID, AttributeValue)] = [
            (.accessGroup, .string(group)), (.accessible, .string("ck")), (.synchronizable, .number(1)),
            (.account, .string(account)), (.creationDate, .date(1)), (.modificationDate, .date(1)),
        ]
        for (id, value) in attributes.sorted(by: { $0.0 < $1.0 }) { buffer.append(id, value) }
        let list = try AttributeList(parsing: buffer.finish())
        let body = SyncItem(list, .init(previous: previous), value: SecretBytes(copying: [1].span)).encoded()
        return SyncRecord(
            kind: SyncRecord.Kind.item, itemClass: itemClass.rawValue,
            protection: Accessibility.afterFirstUnlock.rawValue, hlc: hlc, body: body)
    }

    private func rid(of record: SyncRecord) throws -> RecordID {
        try #require(hostile.keys.recordIDs(of: [record])[0])
    }

    private func publish(_ record: SyncRecord) throws {
        let (rid, body) = (try rid(of: record), record.withBody { SecretBytes(copying: $0) })
        try hostile.member.perform { replica, now in
            _ = replica.write(rid, now: now) { hlc in
                SyncRecord(
                    kind: record.kind, itemClass: record.itemClass, protection: record.protection, rid: rid, hlc: hlc,
                    body: body)
            }
            _ = replica.compose(hostile.keys)
        }
        try circle.publish(hostile)
        try circle.pull(honest)
    }

    private func uuids(_ condition: String) throws -> [[UInt8]] {
        let tables = ["genp", "inet"].map { "SELECT uuid FROM \($0) WHERE \(condition)" }
        return try honest.keychain.column(tables.joined(separator: " UNION ALL "))
    }

    /// The record of an item that the honest machine has had.
    private func known() throws -> RecordID {
        try #require(try honest.member.perform { replica, _ in replica.rows.all.keys.first })
    }

    @Test(
        "A deleted item's reference goes to an item of its class and group alone",
        arguments: [
            ("test", ItemClass.genericPassword, true), ("new", .genericPassword, false),
            ("test", .internetPassword, false),
        ])
    func deleted(_ group: String, _ itemClass: ItemClass, _ isAllowed: Bool) throws {
        try honest.keychain.add("mail", value: "1")
        try circle.exchange()
        let (target, name) = (try known(), try uuids("tomb = 0"))
        try honest.keychain.delete("mail")
        #expect(try uuids("tomb = 1") == name)
        try circle.exchange()
        try publish(try record("claims it", group, itemClass: itemClass, previous: target))
        let claimed = try uuids("tomb = 0")
        #expect(claimed.count == 1 && (claimed == name) == isAllowed)
        #expect(try honest.keychain.engine.verify().damage.isEmpty)
    }

    @Test("An item that is there keeps its reference, also when a machine claims it")
    func there() throws {
        try honest.keychain.add("mail", value: "1")
        try circle.exchange()
        let (target, name) = (try known(), try uuids("tomb = 0"))
        try publish(try record("claims it", previous: target))
        let found = try uuids("tomb = 0")
        #expect(found.count == 2 && Set(found).count == 2 && found.contains(name[0]))
        #expect(try honest.keychain.values()["mail"] == "1")
    }

    @Test("An item that claims its own record, or one that nobody knows, is taken as any other is")
    func unknown() throws {
        let own = try record("claims itself", previous: nil)
        try publish(try record("claims itself", previous: try rid(of: own)))
        try publish(try record("claims nothing", previous: RecordID(number: 99)))
        #expect(try uuids("tomb = 0").count == 2)
        #expect(try honest.member.perform { replica, _ in replica.quarantined }.isEmpty)
    }
}
