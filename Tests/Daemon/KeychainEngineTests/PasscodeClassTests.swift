import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Items that only a passcode opens go with it, and for no other reason.
@Suite("Items that go with the passcode")
struct PasscodeClassTests {
    private let engine: TestEngine
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        try engine.device(.setPasscode, "1")
    }

    private func add(_ account: String) throws(Refusal) {
        try engine.add(account, "value", more: ["pdmn": .string("akpu")])
    }

    private func count(_ table: String) throws -> Int64? {
        try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
            .integer("SELECT count(*) FROM \(table)", "be counted")
    }

    @Test("A passcode that is removed takes them away; a wrong one takes nothing")
    func removed() throws {
        try add("a")
        #expect(refusal { try engine.device(.removePasscode, "2") }?.status == .authFailed)
        #expect(try engine.values() == ["a": "value"])
        try engine.device(.removePasscode, "1")
        #expect(try count("genp") == 0)
        try engine.device(.setPasscode, "1")
        try add("b")
        #expect(try engine.values() == ["b": "value"])
    }

    @Test("When the key of their attributes is damaged, an add puts them aside with it and removes none")
    func damagedKey() throws {
        for account in ["a", "b"] { try add(account) }
        try engine.tamper("UPDATE metadatakeys SET wrapped = zeroblob(60) WHERE pdmn = 7")
        let again = try TestEngine(in: directory)
        try again.device(.unlock, "1")
        try again.add("c", "value", more: ["pdmn": .string("akpu")])
        #expect(try again.values() == ["c": "value"])
        #expect(try count("quarantine") == 3)
    }

    @Test(
        "When the key of a class's attributes is missing, an add is refused and makes none", arguments: ["ak", "akpu"])
    func missingKey(_ code: String) throws {
        try engine.add("a", "value", more: ["pdmn": .string(code)])
        try engine.tamper("CREATE TABLE kept AS SELECT * FROM metadatakeys; DELETE FROM metadatakeys")
        let again = try TestEngine(in: directory)
        try again.device(.unlock, "1")
        let refusal = refusal { try again.add("b", "value", more: ["pdmn": .string(code)]) }
        #expect(refusal?.rule == .damaged)
        try engine.tamper("INSERT INTO metadatakeys SELECT * FROM kept")
        #expect(try again.values() == ["a": "value"])
    }
}
