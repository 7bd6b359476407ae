import KeychainModel
import KeychainWire
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Damage to the store")
struct DamageTests {
    private static func flip(_ column: String, _ offset: Int) -> String {
        TestEngine.flip(column, offset, ofRow: 2)
    }

    static let damages: [String] = [
        flip("meta", 1), flip("meta", 2), flip("meta", 40), flip("meta", 62), flip("meta", 120), flip("data", 1),
        flip("data", 2), flip("data", 20), flip("wkey", 1), flip("wkey", 30), flip("uuid", 3), flip("pk", 3),
        "UPDATE genp SET meta = x'' WHERE id = 2", "UPDATE genp SET data = x'' WHERE id = 2",
        "UPDATE genp SET wkey = x'00' WHERE id = 2", "UPDATE genp SET uuid = x'07' WHERE id = 2",
        "UPDATE genp SET pdmn = 2 WHERE id = 2", "UPDATE genp SET pdmn = 99 WHERE id = 2",
        "UPDATE genp SET meta = zeroblob(100000) WHERE id = 2",
        "UPDATE genp SET data = (SELECT data FROM genp WHERE id = 1) WHERE id = 2",
        "UPDATE genp SET (data, wkey) = (SELECT data, wkey FROM genp WHERE id = 1) WHERE id = 2",
        "UPDATE genp SET meta = (SELECT meta FROM genp WHERE id = 1) WHERE id = 2",
    ]

    @Test("A damaged row hides only itself, is reported, and stays where it is", arguments: damages)
    func oneRow(_ damage: String) throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        for name in ["a", "b", "c"] { try engine.add(name, "value of \(name)") }
        try engine.tamper(damage)

        #expect(try engine.values() == ["a": "value of a", "c": "value of c"])
        let report = try engine.verify()
        #expect(report.checked == 3)
        #expect(report.damage.map(\.row) == [2])
        #expect(report.damage.allSatisfy { !$0.problem.isEmpty && !$0.problem.contains("value of") })
        #expect(report.file.isEmpty)
    }

    @Test("A value does not open beside attributes of another time")
    func oldValueWithNewAttributes() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        try engine.add("a", "old")
        try engine.tamper("CREATE TABLE before AS SELECT data, wkey FROM genp")
        try engine.update("a", to: "new")
        #expect(try engine.values() == ["a": "new"])
        try engine.tamper(
            "UPDATE genp SET data = (SELECT data FROM before), wkey = (SELECT wkey FROM before); DROP TABLE before")
        #expect(try engine.values() == [:])
        #expect(try engine.verify().damage.count == 1)
    }

    @Test(
        "An item can be added in the place of a damaged one, which is set aside and not lost",
        arguments: ["meta = zeroblob(200)", "data = zeroblob(80)", "svce = x'00'", "code = x''"])
    func damagedRowGivesWay(_ damage: String) throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        try engine.add("a", "first")
        try engine.tamper("UPDATE genp SET \(damage)")
        try engine.add("a", "second")
        #expect(try engine.values() == ["a": "second"])
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM quarantine", "count") == 1)
    }
}

extension TestEngine {
    func update(_ account: String, to value: String) throws(Refusal) {
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        try builder.change("v_Data", data: Array(value.utf8).span)
        _ = try write(try builder.build())
    }
}
