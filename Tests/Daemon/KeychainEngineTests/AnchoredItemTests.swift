import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// Items that demand an anchored program: the group alone does not open them.
@Suite("Items for anchored programs")
struct AnchoredItemTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let anchored: [String: RawValue] = ["accc": .control(.whenUnlocked, 1 << 48)]
    private static let firm = CallerIdentity(
        user: 0, process: 2, program: "firm", isAnchored: true, groups: ["test", "other"])
    private static let loose = CallerIdentity(user: 0, process: 3, program: "loose", groups: ["test", "other"])

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func query(
        _ operation: ItemRequest.Operation, _ more: [String: RawValue] = [:], changes: [String: RawValue] = [:]
    ) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        for (key, value) in more { try builder.set(key, value) }
        for (key, value) in changes { try builder.change(key, value) }
        return try builder.build()
    }

    private func rule(_ request: ItemRequest, _ caller: CallerIdentity) -> Refusal.Rule? {
        refusal { _ = try engine.perform(request, from: caller) }?.rule
    }

    @Test(
        "an anchored program of the group reads the value, another of the group is refused by a rule of its own",
        .rule("access-groups.anchored.value", "access-control.flags.anchored"))
    func reading() throws {
        try engine.add("a", "secret", more: Self.anchored)
        let value = try query(.copyMatching, ["r_Data": .boolean(true)])
        #expect(try engine.perform(value, from: Self.firm).items.first?.attributes[.valueData]?.string == "secret")
        let refused = refusal { _ = try engine.perform(value, from: Self.loose) }
        #expect(refused?.status == .missingEntitlement && refused?.rule == .notAnchored)
        #expect(engine.agent.questions.isEmpty)
    }

    @Test("Attributes are kept from the others too, and a search that skips what is guarded passes it over")
    func attributes() throws {
        try engine.add("a", "secret", more: Self.anchored)
        try engine.add("b", "open")
        var all: [String: RawValue] = ["r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll")]
        #expect(rule(try query(.copyMatching, all), Self.loose) == .notAnchored)
        all["u_AuthUI"] = .string("u_AuthUIS")
        #expect(try engine.perform(try query(.copyMatching, all), from: Self.loose).items.count == 1)
        #expect(try engine.perform(try query(.copyMatching, all), from: Self.firm).items.count == 2)
    }

    @Test(
        "The inspecting command shows its user nothing of anchored programs' items; root, and their programs, see them")
    func inspecting() throws {
        let reserved = AnchoredGroups { $0 == "test" }
        let folder = try TemporaryDirectory()
        defer { extendLifetime(folder) }
        let engine = try TestEngine(in: folder, anchoredGroups: reserved)
        for (account, group) in [
            ("own", "inspector"), ("demanding", "other"), ("reserved", "test"), ("plain", "other"),
        ] {
            let item: [String: RawValue] = ["acct": .string(account), "agrp": .string(group)]
            let demand = account == "demanding" ? Self.anchored : [:]
            let owner = CallerIdentity(user: 1000, process: 4, program: "p", isAnchored: true, groups: [group])
            _ = try engine.perform(try query(.add, item.merging(demand) { $1 }), from: owner)
        }
        #expect(try Self.inspected(engine, by: 1000) == ["own", "plain"])
        #expect(try Self.inspected(engine, by: 0) == ["demanding", "own", "plain", "reserved"])
        #expect(try Self.inspected(engine, by: 1000, limit: "m_LimitOne").count == 1)
        // A search that names the item finds no more.
        #expect(try Self.inspected(engine, by: 1000, more: ["acct": .string("reserved")]) == [])
        #expect(try Self.explained(engine, by: 1000) == ["own", "plain"])
        #expect(try Self.explained(engine, by: 0) == ["demanding", "own", "plain", "reserved"])
    }

    @Test(
        "Nor does an inspection of identities show one of which half is an anchored program's",
        arguments: ["test", "other"])
    func inspectingIdentities(group: String) throws {
        let folder = try TemporaryDirectory()
        defer { extendLifetime(folder) }
        let engine = try TestEngine(in: folder, anchoredGroups: AnchoredGroups { $0 == "test" })
        let hash = RawValue.data(Array(repeating: 7, count: 20))
        let halves: [[String: RawValue]] = [
            ["class": .string("cert"), "pkhh": hash, "ctyp": .number(3), "agrp": .string("other")],
            ["class": .string("keys"), "klbl": hash, "kcls": .number(1), "priv": .number(1), "agrp": .string(group)],
        ]
        let owner = CallerIdentity(user: 1000, process: 4, program: "p", isAnchored: true, groups: ["test", "other"])
        for half in halves {
            var builder = ItemRequestBuilder(.add)
            for (key, value) in half { try builder.set(key, value) }
            _ = try engine.perform(try builder.build(), from: owner)
        }
        let all: [String: RawValue] = ["class": .string("idnt")]
        #expect(try Self.inspectedCount(engine, by: 1000, all) == (group == "test" ? 0 : 1))
        #expect(try Self.inspectedCount(engine, by: 0, all) == 1)
    }

    private static func inspectedCount(
        _ engine: TestEngine, by user: UInt32, _ query: [String: RawValue]
    ) throws -> Int {
        var builder = ItemRequestBuilder(.copyMatching)
        for (key, value) in query { try builder.set(key, value) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        try builder.set("r_Attributes", .boolean(true))
        builder.inspectAllGroups()
        let request = try builder.build()
        if refusal({ _ = try engine.perform(request, from: inspector(user)) })?.status == .itemNotFound { return 0 }
        return try engine.perform(request, from: inspector(user)).items.count
    }

    private static func inspector(_ user: UInt32) -> CallerIdentity {
        CallerIdentity(user: user, process: 9, program: "security", groups: ["inspector"], mayInspectAllGroups: true)
    }

    private static func inspected(
        _ engine: TestEngine, by user: UInt32, limit: String = "m_LimitAll", more: [String: RawValue] = [:]
    ) throws -> [String] {
        var builder = ItemRequestBuilder(.copyMatching)
        let all: [String: RawValue] = [
            "class": .string("genp"), "m_Limit": .string(limit), "r_Attributes": .boolean(true),
        ]
        for (key, value) in all.merging(more, uniquingKeysWith: { $1 }) { try builder.set(key, value) }
        builder.inspectAllGroups()
        let request = try builder.build()
        let refused = refusal { _ = try engine.perform(request, from: inspector(user)) }
        if refused?.status == .itemNotFound { return [] }
        let items = try engine.perform(request, from: inspector(user)).items
        return items.compactMap { $0.attributes[.account]?.string }.sorted()
    }

    private static func explained(_ engine: TestEngine, by user: UInt32) throws -> [String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        let buffer = SecretBuffer()
        try builder.build().append(to: buffer)
        let query = buffer.withSpan { $0.array(0, $0.count) }
        guard
            case .explanation(let explanation) = try engine.access(
                .why(program: "", query: query), from: inspector(user))
        else { throw Refusal.malformed("the explanation") }
        return explanation.candidates.compactMap { $0.attributes[.account]?.string }.sorted()
    }

    @Test("The others may not change the item, nor take the demand off it; they may delete it")
    func changing() throws {
        try engine.add("a", "secret", more: Self.anchored)
        for changes: [String: RawValue] in [["labl": .string("x")], ["pdmn": .string("ak")]] {
            #expect(rule(try query(.update, changes: changes), Self.loose) == .notAnchored)
        }
        #expect(rule(try query(.update, changes: ["labl": .string("x")]), Self.firm) == nil)
        #expect(rule(try query(.delete), Self.loose) == nil)
    }

    @Test("The demand is sealed with the key: who clears it in the store makes the row one that does not open")
    func binding() throws {
        try engine.add("a", "secret", more: Self.anchored)
        try engine.tamper("UPDATE genp SET wkey = CAST(substr(wkey, 1, 10) || x'00' || substr(wkey, 12) AS BLOB)")
        #expect(rule(try query(.copyMatching, ["r_Data": .boolean(true)]), Self.loose) == .notFound)
    }

    @Test("A demand on the user counts beside it: the anchored program has him asked, the other is refused before")
    func both() throws {
        try engine.add("a", "secret", more: ["accc": .control(.whenUnlocked, 1 << 48 | 1 << 1)])
        let value = try query(.copyMatching, ["r_Data": .boolean(true)])
        #expect(rule(value, Self.firm) == .needsUser)
        #expect(rule(value, Self.loose) == .notAnchored)
    }

    @Test("A verification opens what is kept for anchored programs")
    func verification() throws {
        try engine.add("a", "secret", more: Self.anchored)
        let report = try engine.verify()
        #expect(report.checked == 1 && report.locked == 0 && report.damage == [])
    }

    @Test("An item for anchored programs is not synchronised")
    func synchronised() throws {
        let both = Self.anchored.merging(["sync": .boolean(true)]) { $1 }
        #expect(refusal { try engine.add("a", "secret", more: both) }?.rule == .contradiction)
    }

    // MARK: - Keys

    @Test(
        "a key of the enclave for anchored programs is used by them alone, and keeps its demand",
        .rule("access-groups.anchored.value", "access-groups.anchored.key"))
    func keys() throws {
        let flags = AccessControl.privateKeyUsage | 1 << 48
        let binding = KeyBinding(group: "test", accessibility: .whenUnlocked, control: flags)
        guard case .key(let key) = try engine.key(.make(binding), from: Self.loose) else {
            throw Refusal.malformed("the key")
        }
        let use = KeyRequest.use(
            key, KeyUse("algid:sign:ECDSA:digest-X962:SHA256", [UInt8](repeating: 1, count: 32)))
        #expect(refusal { _ = try engine.key(use, from: Self.loose) }?.rule == .notAnchored)
        _ = try engine.key(use, from: Self.firm)
        try engine.addKey("tag", key)
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("keys"))
        try builder.change("accc", .control(.whenUnlocked, AccessControl.privateKeyUsage))
        let strip = try builder.build()
        #expect(rule(strip, Self.loose) == .notAnchored)
        #expect(rule(strip, Self.firm) == nil)
    }
}

extension TestEngine {
    func key(_ request: KeyRequest, from caller: CallerIdentity) throws(Refusal) -> KeyReply {
        let writer = ResponseWriter()
        engine.key(request, from: caller, id: 1, into: writer)
        let answer = writer.complete()
        return try KeyReply(to: request, status: answer.status, body: answer.body)
    }
}
