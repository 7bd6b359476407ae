import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Why a search finds nothing")
struct ExplanationTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let caller = CallerIdentity(user: 1000, process: 1, program: "/bin/one", groups: ["test", "b"])
    private static let inspector = CallerIdentity(
        user: 1000, process: 9, program: "/usr/bin/security", groups: ["s"], mayInspectAllGroups: true)

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        try engine.add("ada", "findme-value")
    }

    private func why(
        _ query: [String: RawValue], itemClass: String = "genp", for program: String = "",
        as caller: CallerIdentity = caller
    ) throws -> Explanation {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(itemClass))
        for (key, value) in query { try builder.set(key, value) }
        let buffer = SecretBuffer()
        try builder.build().append(to: buffer)
        let bytes = buffer.withSpan { $0.array(0, $0.count) }
        guard case .explanation(let found) = try engine.access(.why(program: program, query: bytes), from: caller)
        else { throw Refusal.malformed("the explanation") }
        return found
    }

    private func rules(_ explanation: Explanation) -> [[String]] {
        explanation.candidates.map { $0.exclusions.map { "\($0.rule.rawValue) \($0.subject)" } }
    }

    @Test("What is found is said to be found, with its attributes and without its value")
    func found() throws {
        let found = try why(["acct": .string("ada")])
        #expect(found.refusal == nil && found.looked == 1 && found.program == "/bin/one")
        #expect(found.candidates.map(\.verdict) == [.found] && rules(found) == [[]])
        #expect(found.candidates.first?.attributes[.account] == .string("ada"))
        #expect(found.candidates.first?.attributes.entry(.valueData) == nil)
    }

    @Test("Each attribute that differs is named")
    func attributes() throws {
        let found = try why(["acct": .string("bob"), "svce": .string("other")])
        #expect(found.refusal?.status == .itemNotFound)
        #expect(rules(found) == [["query.attribute-differs acct", "query.attribute-differs svce"]])
    }

    @Test("an item of another group of the caller's is told from one that differs", .rule("queries.rows.explained"))
    func groups() throws {
        #expect(rules(try why(["acct": .string("ada"), "agrp": .string("b")])) == [["access.group-not-granted agrp"]])
    }

    @Test(
        "items of foreign groups are told to the keychain's own command alone", .rule("access-groups.foreign.explained")
    )
    func foreign() throws {
        let stranger = CallerIdentity(user: 1000, process: 2, program: "/bin/two", groups: ["two"])
        #expect(try why(["acct": .string("ada")], as: stranger).looked == 0)
        let found = try why(["acct": .string("ada")], for: "/bin/three", as: Self.inspector)
        #expect(found.program == "/bin/three" && found.groups == ["program:/bin/three"])
        #expect(rules(found) == [["access.group-not-granted agrp"]])
    }

    @Test(
        "a request that the policy refuses says by which check, and looks at nothing",
        .rule("access-groups.foreign.explained"))
    func refused() throws {
        let found = try why(["agrp": .string("OTHER.x")])
        #expect(found.refusal?.rule == .foreignGroup && found.candidates.isEmpty && found.looked == 0)
    }

    @Test("the filter for synchronised items is a rule of its own", .rule("queries.synchronizable.default"))
    func synchronised() throws {
        try engine.add("sue", "v", more: ["sync": .boolean(true)])
        #expect(rules(try why(["acct": .string("sue")])).first == ["query.synchronizable-filter sync"])
        #expect(try why(["acct": .string("sue"), "sync": .string("syna")]).candidates.first?.verdict == .found)
    }

    @Test("An item of another class that is like it is shown as such, others are not")
    func otherClass() throws {
        let found = try why(["acct": .string("ada")], itemClass: "inet")
        #expect(found.candidates.map(\.itemClass) == [.genericPassword])
        #expect(rules(found) == [["query.other-class genp"]])
        #expect(try why(["acct": .string("bob")], itemClass: "inet").candidates.isEmpty)
    }

    @Test("A closed protection class is named, though the attributes cannot be read")
    func locked() throws {
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        let found = try why(["acct": .string("ada")])
        #expect(found.refusal?.status == .interactionNotAllowed && found.refusal?.rule == .locked)
        #expect(rules(found) == [["state.locked ak"]] && found.candidates.first?.isShown == false)
    }

    @Test("A guard is named, its item's attributes are not shown to its programs, and nobody is asked")
    func guarded() throws {
        try engine.add("eve", "v", more: ["accc": .control(.whenUnlocked, 1 << 1)])
        let found = try why(["acct": .string("eve")])
        let eve = try #require(found.candidates.first)
        #expect(found.refusal?.status == .authNeeded && eve.verdict == .afterAuthentication && !eve.isShown)
        #expect(eve.exclusions.map(\.rule) == [.needsUser])
        #expect(
            try why(["acct": .string("eve"), "u_AuthUI": .string("u_AuthUIS")]).candidates.first?.verdict == .excluded)
        #expect(engine.agent.questions.isEmpty)
        #expect(
            try why(["acct": .string("eve")], for: "/bin/one", as: Self.inspector).candidates.first?.isShown == true)
    }

    @Test("An item for anchored programs says so")
    func anchored() throws {
        try engine.add("max", "v", more: ["accc": .control(.whenUnlocked, 1 << 48)])
        let found = try why(["acct": .string("max")])
        #expect(found.refusal?.rule == .notAnchored)
        #expect(found.candidates.first?.exclusions.map(\.rule) == [.notAnchored])
    }

    @Test("What is beyond the limit is told from what differs")
    func limit() throws {
        try engine.add("bea", "v")
        let found = try why(["svce": .string("service")])
        #expect(Set(found.candidates.map(\.verdict)) == [.found, .excluded])
        let excluded = found.candidates.first { $0.verdict == .excluded }
        #expect(excluded?.exclusions.map(\.rule) == [.beyondLimit])
        let all = try why(["svce": .string("service"), "m_Limit": .string("m_LimitAll")])
        #expect(all.candidates.map(\.verdict) == [.found, .found])
    }

    @Test("The host of kSecMatchHostOrSubdomainOfHost is looked at")
    func host() throws {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("inet"))
        try builder.set("srvr", .string("example.org"))
        _ = try engine.write(try builder.build())
        let found = try why(["m_HostOrSubdomainOfHost": .string("example.com")], itemClass: "inet")
        #expect(found.candidates.first?.exclusions.map(\.rule) == [.matchKey])
    }

    @Test("A damaged row is named, and the nearest of many come first")
    func nearest() throws {
        for index in 0..<60 { try engine.add("x\(index)", "v") }
        try engine.tamper("UPDATE genp SET meta = zeroblob(length(meta)) WHERE id = 1")
        let found = try why(["acct": .string("ada")])
        #expect(found.looked == 61 && found.candidates.count == 20 && found.omitted == 41)
        #expect(found.candidates.first?.exclusions.map(\.rule) == [.damaged])
    }

    @Test("Only the keychain's own command asks about other programs, and only searches are explained")
    func limits() throws {
        #expect(refusal { _ = try why([:], for: "/bin/two") }?.rule == .inspection)
        let buffer = SecretBuffer()
        var builder = ItemRequestBuilder(.delete)
        try builder.set("class", .string("genp"))
        try builder.build().append(to: buffer)
        let bytes = buffer.withSpan { $0.array(0, $0.count) }
        #expect(refusal { _ = try engine.access(.why(program: "", query: bytes)) }?.rule == .notAllowedHere)
        #expect(refusal { _ = try engine.access(.why(program: "", query: [1, 2])) }?.rule == .malformedFrame)
    }

    @Test("A program that was here is replayed with the groups it had")
    func remembered() throws {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        _ = try engine.perform(try builder.build(), from: Self.caller)
        #expect(try why([:], for: "/bin/one", as: Self.inspector).groups == ["test", "b"])
    }
}
