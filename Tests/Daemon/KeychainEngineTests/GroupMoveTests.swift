import CodeSignature
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncStore
import TestSupport
import Testing

@Suite("Items go from one group to another")
struct GroupMoveTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let both = CallerIdentity(user: 1000, process: 1, program: "/bin/both", groups: ["test", "new"])
    private static let new = CallerIdentity(user: 1000, process: 2, program: "/bin/new", groups: ["new"])
    private static let command = CallerIdentity(
        user: 1000, process: 3, program: "/usr/bin/security", groups: ["s"], mayInspectAllGroups: true)

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func move(
        _ move: GroupMove = GroupMove(from: "test", to: "new"), as caller: CallerIdentity = both,
        _ passcode: String? = nil
    ) throws(Refusal) -> MoveReport {
        guard case .moved(let report) = try engine.access(.move(move), from: caller, passcode) else {
            throw .malformed("the report")
        }
        return report
    }

    private func accounts(_ caller: CallerIdentity, _ more: [String: RawValue] = [:]) throws -> [String: String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("sync", .string("syna"))
        try builder.set("m_Limit", .string("m_LimitAll"))
        for flag in ["r_Data", "r_Attributes"] { try builder.set(flag, .boolean(true)) }
        for (key, value) in more { try builder.set(key, value) }
        let request = try builder.build()
        do throws(Refusal) {
            return try engine.perform(request, from: caller).items.reduce(into: [:]) {
                $0[$1.attributes[.account]?.string ?? ""] = $1.attributes[.valueData]?.string ?? ""
            }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return [:]
        }
    }

    @Test("items are not moved to the group that they have")
    func sameGroup() throws {
        try engine.add("a", "1")
        #expect(refusal { _ = try move(GroupMove(from: "test", to: "test")) }?.status == .param)
        #expect(try engine.values() == ["a": "1"])
    }

    @Test(
        "all items have the other group afterwards, with their values, and none the old one",
        .rule("access-groups.move.all"))
    func moves() throws {
        for index in 0..<300 { try engine.add("\(index)", "v\(index)") }
        #expect(try move().moved == 300)
        let found = try accounts(Self.new)
        #expect(found.count == 300 && found.allSatisfy { "v\($0.key)" == $0.value })
        #expect(try engine.values().isEmpty)
        let report = try engine.verify()
        #expect(report.checked == 300 && report.damage == [])
        #expect(try engine.wrongCounters() == 0)
    }

    @Test("A key that only the enclave sees is bound to the new group, and is used there alone")
    func keys() throws {
        try engine.addKey("tag", try engine.makeKey())
        #expect(try move().moved == 1)
        let moved = try engine.findKey("tag", as: ["new"])
        guard case .data(let bytes)? = moved[.sealedKey] else { throw Refusal.malformed("the key") }
        let key = try SealedKey(decoding: SecretBytes(copying: bytes.span))
        #expect(key.binding.group == "new")
        try engine.sign(key, as: ["new"])
        #expect(refusal { try engine.sign(key, as: ["test"]) }?.rule == .foreignGroup)
    }

    @Test("One conflict keeps everything where it is, and each is told")
    func conflicts() throws {
        for account in ["a", "b", "c"] { try engine.add(account, "old") }
        for account in ["a", "c"] { try engine.add(account, "new", more: ["agrp": .string("new")], as: Self.both) }
        let report = try move()
        #expect(report.moved == 0 && report.conflictCount == 2)
        #expect(
            report.conflicts.map(\.rule) == [.duplicate, .duplicate]
                && report.conflicts.allSatisfy { $0.name == "service" })
        #expect(try engine.values() == ["a": "old", "b": "old", "c": "old"])
        #expect(try accounts(Self.new) == ["a": "new", "c": "new"])
    }

    @Test("A guarded item is a conflict: its program moves it. One for anchored programs is moved with its demand")
    func guarded() throws {
        try engine.add("eve", "v", more: ["accc": .control(.whenUnlocked, 1 << 1)])
        #expect(try move().conflicts.map(\.rule) == [.needsUser])
        try engine.tamper("DELETE FROM genp")
        try engine.add("max", "v", more: ["accc": .control(.whenUnlocked, 1 << 48)])
        #expect(try move().moved == 1)
        #expect(refusal { _ = try accounts(Self.new) }?.rule == .notAnchored)
    }

    @Test("A closed class refuses the move, and nothing is moved")
    func locked() throws {
        try engine.add("a", "v")
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(refusal { _ = try move() }?.status == .interactionNotAllowed)
        try engine.device(.unlock, "1")
        #expect(try engine.values() == ["a": "v"])
    }

    @Test("Damaged rows stay, and are counted")
    func damaged() throws {
        for account in ["a", "b"] { try engine.add(account, "v") }
        try engine.tamper("UPDATE genp SET meta = zeroblob(length(meta)) WHERE id = 1")
        let report = try move()
        #expect(report.moved == 1 && report.damaged == 1)
    }

    @Test(
        "an item of a circle leaves a tombstone in its old group, and what was deleted stays so in both",
        .rule("access-groups.move.tombstone"))
    func tombstones() throws {
        try CircleRecords(engine.engine).enter()
        for account in ["alive", "dead"] { try engine.add(account, "v", more: ["sync": .boolean(true)]) }
        var builder = ItemRequestBuilder(.delete)
        for (key, value) in ["class": RawValue.string("genp"), "acct": .string("dead"), "sync": .boolean(true)] {
            try builder.set(key, value)
        }
        _ = try engine.write(try builder.build())
        #expect(try move().moved == 1)
        #expect(try accounts(Self.new) == ["alive": "v"])
        let dead = ["tomb": RawValue.boolean(true)]
        #expect(try accounts(TestEngine.caller, dead).keys.sorted() == ["alive", "dead"])
        #expect(try accounts(Self.new, dead).keys.sorted() == ["dead"])
    }

    @Test("A class can be moved alone; a new name must be free, and takes over what was known of the group")
    func classesAndNames() throws {
        try engine.add("a", "v")
        try engine.addKey("tag", try engine.makeKey())
        #expect(try move(GroupMove(from: "test", to: "new", itemClass: .key)).moved == 1)
        #expect(try engine.values() == ["a": "v"])
        #expect(refusal { _ = try move(GroupMove(from: "test", to: "new", isRename: true)) }?.rule == .conflict)
        #expect(try move(GroupMove(from: "new", to: "test")).moved == 1)
        #expect(try move(GroupMove(from: "test", to: "new", isRename: true)).moved == 2)
    }

    // MARK: - Who may

    @Test("A program of one of the groups is refused", arguments: ["test", "new"])
    func strangers(group: String) throws {
        try engine.add("a", "v")
        let one = CallerIdentity(user: 1000, process: 1, program: "/bin/one", groups: [group])
        #expect(refusal { _ = try move(as: one) }?.rule == .foreignGroups)
        #expect(try engine.values() == ["a": "v"])
    }

    @Test("The user moves items with the passcode, wrong ones count, and without any nothing is moved")
    func passcode() throws {
        try engine.add("a", "v")
        try engine.device(.setPasscode, "1234")
        #expect(refusal { _ = try move(as: Self.command) }?.rule == .wrongPasscode)
        #expect(try engine.engine.status().failedAttempts == 0)
        #expect(refusal { _ = try move(as: Self.command, "4321") }?.rule == .wrongPasscode)
        #expect(try engine.engine.status().failedAttempts == 1)
        #expect(try engine.values() == ["a": "v"])
        #expect(try move(as: Self.command, "1234").moved == 1)
    }

    @Test(
        "the new team brings a statement of the old one; another's, or about other groups, does not do",
        .rule("access-groups.move.all", "access-groups.move.statement"))
    func handover() throws {
        let (old, other) = (try TeamPrivateKey.generate(), try TeamPrivateKey.generate())
        let (oldID, otherID) = (try TeamID(of: old.publicKey), try TeamID(of: other.publicKey))
        let (from, to) = (oldID.prefix + "app", otherID.prefix + "app")
        let owner = CallerIdentity(user: 1000, process: 1, program: "/bin/old", groups: [from])
        let heir = CallerIdentity(user: 1000, process: 2, program: "/bin/heir", groups: [to])
        try engine.add("a", "v", as: owner)
        let statement = { (from: String, to: String, key: TeamPrivateKey) in
            try TeamStatement.make(
                .handover(from: from, to: to), by: key, chain: try TeamChain([], to: key.publicKey), issued: 0
            ).encoded
        }
        var forged = try statement(from, to, old)
        forged[forged.count - 1] ^= 1
        for bytes in [try statement(from, otherID.prefix + "else", old), forged, [1, 2, 3]] {
            let attempt = GroupMove(from: from, to: to, statement: bytes)
            #expect(refusal { _ = try move(attempt, as: heir) }?.status == .missingEntitlement)
        }
        let good = GroupMove(from: from, to: to, statement: try statement(from, to, old))
        let thief = CallerIdentity(user: 1000, process: 3, program: "/bin/thief", groups: ["thief"])
        #expect(refusal { _ = try move(good, as: thief) }?.rule == .foreignGroups)
        #expect(try move(good, as: heir).moved == 1)
        #expect(try accounts(heir) == ["a": "v"])
    }
}

extension TestEngine {
    /// Adds a generic password as a program.
    func add(_ account: String, _ value: String, more: [String: RawValue] = [:], as caller: CallerIdentity)
        throws(Refusal)
    {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string("service"))
        try builder.set("acct", .string(account))
        for (key, raw) in more { try builder.set(key, raw) }
        try builder.set("v_Data", data: Array(value.utf8).span)
        _ = try perform(try builder.build(), from: caller)
    }
}
