import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainBackup
@testable import KeychainEngine
@testable import KeychainStore

/// A restore, and the items that are there.
@Suite("Restoring merges") struct RestoreTests {
    private let directories: [TemporaryDirectory]
    private let engine: TestEngine
    /// The keychain of another machine.
    private let other: TestEngine

    init() throws {
        directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        engine = try TestEngine(in: directories[0])
        other = try TestEngine(in: directories[1])
    }

    private func update(_ account: String, _ value: String) throws {
        _ = try engine.write(try HistoryTests.request(.update, account, changing: value))
    }

    private var versions: Int64 {
        get throws {
            let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
            return try database.integer("SELECT count(*) FROM history", "be counted") ?? -1
        }
    }

    @Test("An older backup changes no value, and what it had is an earlier version, once")
    func older() throws {
        try engine.add("a", "old")
        let backup = try engine.backUp()
        try update("a", "new")
        let before = try versions
        // The version that the update left is the one of the backup.
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.kept])
        #expect(try engine.values() == ["a": "new"])
        #expect(try versions == before)
    }

    @Test("The value of an older backup that the keychain never had goes to the history")
    func olderOfAnother() throws {
        try other.add("a", "theirs")
        let backup = try other.backUp()
        try engine.add("a", "mine")
        let before = try versions
        for _ in 0..<2 {
            #expect(try engine.restoreAll(backup).map(\.outcome) == [.kept])
            #expect(try engine.values() == ["a": "mine"])
            #expect(try versions == before + 1)
        }
        #expect(try engine.verify().damage == [])
    }

    @Test("A later one replaces, the item keeps its reference, and what it was goes to the history")
    func later() throws {
        try engine.add("a", "mine")
        try other.add("a", "theirs")
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        try database.execute("ATTACH ':memory:' AS earlier", "be compared")
        try database.execute("CREATE TABLE earlier.item AS SELECT uuid FROM genp", "be compared")
        let before = try versions
        let backup = try other.backUp()
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.replaced])
        #expect(try engine.values() == ["a": "theirs"])
        #expect(try versions == before + 1)
        let same = "SELECT count(*) FROM genp JOIN earlier.item USING (uuid)"
        #expect(try database.integer(same, "be compared") == 1)
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.same])
    }

    @Test("What the history would not keep is not replaced: the item of the backup is refused")
    func otherProtection() throws {
        try engine.add("a", "mine", more: ["pdmn": .string("aku")])
        try other.add("a", "theirs")
        let item = try #require(try engine.restoreAll(try other.backUp()).first)
        #expect(item.outcome == .refused && !item.why.isEmpty)
        #expect(try engine.values() == ["a": "mine"])
    }

    @Test("Where no earlier versions are kept, nothing is replaced: the item of the backup is refused")
    func withoutHistory() throws {
        let folder = try TemporaryDirectory()
        let engine = try TestEngine(in: folder, history: HistoryLimits(days: 0))
        try engine.add("a", "mine")
        try other.add("a", "theirs")
        try other.add("b", "theirs")
        #expect(try engine.restoreAll(try other.backUp()).map(\.outcome) == [.refused, .added])
        #expect(try engine.values() == ["a": "mine", "b": "theirs"])
    }

    @Test("An item deleted since comes back, and a search finds it once")
    func deleted() throws {
        try engine.add("a", "1")
        let backup = try engine.backUp()
        _ = try engine.write(try HistoryTests.request(.delete, "a"))
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.added])
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.same])
        #expect(try engine.values() == ["a": "1"])
    }

    @Test("What only who knows the passphrase can have made is refused item by item, and the rest is taken")
    func forged() throws {
        try engine.add("a", "1")
        let good: [(AttributeID, AttributeValue)] = [
            (.accessible, .string("ak")), (.accessGroup, .string("test")), (.account, .string("good")),
            (.modificationDate, .date(1)), (.valueData, .data([1])),
        ]
        func changing(_ id: AttributeID, _ value: AttributeValue?) -> [(AttributeID, AttributeValue)] {
            good.filter { $0.0 != id } + (value.map { [(id, $0)] } ?? [])
        }
        let forged = [
            changing(.accessible, .string("aku")), changing(.accessible, nil), changing(.accessGroup, .string("")),
            changing(.accessGroup, .string("*")), changing(.accessGroup, .string(AccessGroup.token)),
            changing(.modificationDate, nil), changing(.modificationDate, .date(.nan)),
            changing(.modificationDate, .date(.infinity)), changing(.tombstone, .number(1)),
            changing(.sealedKey, .data([1, 2, 3])), changing(.accessControl, .data([1])),
            changing(.server, .string("of another class")),
            changing(.modificationDate, .string("today")), changing(.account, .date(1)),
        ]
        for attributes in forged {
            let record = BackupRecord(
                itemClass: .genericPassword, uuid: [UInt8](repeating: 9, count: 16), list: try Self.list(attributes))
            #expect(throws: Refusal.self, "\(attributes)") { try record.item() }
        }
        let record = BackupRecord(
            itemClass: .genericPassword, uuid: [UInt8](repeating: 9, count: 16), list: try Self.list(good))
        #expect(try record.item().attributes[.account] == .string("good"))
    }

    private static func list(_ attributes: [(AttributeID, AttributeValue)]) throws -> AttributeList {
        let buffer = SecretBuffer()
        for (id, value) in attributes.sorted(by: { $0.0.rawValue < $1.0.rawValue }) { buffer.append(id, value) }
        return try AttributeList(parsing: buffer.finish())
    }
}
