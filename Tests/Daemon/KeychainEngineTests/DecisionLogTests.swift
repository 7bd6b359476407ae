import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("The decision log")
struct DecisionLogTests {
    private let directory: TemporaryDirectory
    private static let inspector = CallerIdentity(
        user: 1000, process: 9, program: "/usr/bin/security", groups: ["s"], mayInspectAllGroups: true)

    private static func program(_ name: String, groups: [String] = ["test"]) -> CallerIdentity {
        CallerIdentity(user: 1000, process: 7, program: name, provenance: .unsigned, groups: groups)
    }

    init() throws { directory = try TemporaryDirectory() }

    private func page(
        _ engine: TestEngine, after number: UInt64 = 0, for caller: CallerIdentity = inspector
    ) throws -> DecisionPage {
        guard case .decisions(let page) = try engine.access(.decisions(after: number), from: caller) else {
            throw Refusal.malformed("the decisions")
        }
        return page
    }

    private func search(_ engine: TestEngine, _ more: [String: RawValue] = [:], as caller: CallerIdentity) throws {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string("findme-account"))
        for (key, value) in more { try builder.set(key, value) }
        _ = try? engine.perform(try builder.build(), from: caller)
    }

    @Test(
        "each request is one entry, with who asked, what for, the group and the rule that spoke",
        .rule("access-groups.decisions.entry"))
    func entries() throws {
        let engine = try TestEngine(in: directory)
        let one = Self.program("/bin/one")
        try search(engine, as: one)
        try search(engine, ["agrp": .string("OTHER.x")], as: one)
        try engine.add("a", "v")
        let found = try page(engine)
        #expect(found.entries.map(\.operation) == ["SecItemCopyMatching", "SecItemCopyMatching", "SecItemAdd"])
        #expect(found.entries.map(\.rule) == ["store.not-found", "access.group-not-granted", ""])
        #expect(found.entries.map(\.groups) == [["test"], ["OTHER.x"], ["test"]])
        #expect(found.entries.map(\.number) == [1, 2, 3] && found.next == 3 && found.lost == 0)
        let first = try #require(found.entries.first)
        #expect(first.program == "/bin/one" && first.process == 7 && first.user == 1000)
        #expect(first.provenance == "unsigned" && !first.isAnchored && first.itemClass == .genericPassword)
        #expect(first.status == KeychainStatus.itemNotFound.rawValue)
    }

    @Test("A program sees its own decisions, the keychain's command and root see all")
    func visibility() throws {
        let engine = try TestEngine(in: directory)
        for name in ["/bin/one", "/bin/two"] { try search(engine, as: Self.program(name)) }
        #expect(try page(engine, for: Self.program("/bin/two")).entries.map(\.program) == ["/bin/two"])
        #expect(try page(engine, for: Self.program("/bin/three")).entries.isEmpty)
        #expect(try page(engine).entries.count == 2)
        let root = CallerIdentity(user: 0, process: 1, program: "/bin/r", groups: [])
        #expect(try page(engine, for: root).entries.count == 2)
    }

    @Test("What an anchored program asked is shown to itself and to root, and others' numbers have no gap for it")
    func anchored() throws {
        let engine = try TestEngine(in: directory)
        let guarded = CallerIdentity(user: 1000, process: 8, program: "/bin/guarded", isAnchored: true, groups: ["g"])
        for caller in [Self.program("/bin/one"), guarded, guarded, Self.program("/bin/two"), guarded] {
            try search(engine, as: caller)
        }
        let found = try page(engine)
        #expect(found.entries.map(\.program) == ["/bin/one", "/bin/two"])
        #expect(found.entries.map(\.number) == [1, 2] && found.next == 2)
        #expect(try page(engine, after: found.next) == DecisionPage(next: 2))
        #expect(try page(engine, after: 1).entries.map(\.program) == ["/bin/two"])
        #expect(try page(engine, for: guarded).entries.map(\.number) == [2, 3, 5])
        // One that has its name and not its anchor.
        let posing = CallerIdentity(user: 1000, process: 9, program: "/bin/guarded", groups: ["g"])
        #expect(try page(engine, for: posing).entries.isEmpty)
        let root = CallerIdentity(user: 0, process: 1, program: "/bin/r", groups: [])
        #expect(try page(engine, for: root).entries.count == 5)
    }

    @Test("However often anchored programs ask, nothing that others are shown changes, and nothing is pushed out")
    func countsNothing() throws {
        let engine = try TestEngine(in: directory)
        let guarded = CallerIdentity(user: 1000, process: 8, program: "/bin/guarded", isAnchored: true, groups: ["g"])
        for _ in 0..<AuditLog.capacity + 10 { try search(engine, as: Self.program("/bin/one")) }
        let before = (try page(engine), try page(engine, after: 2000))
        for _ in 0..<7 { try search(engine, as: guarded) }
        #expect(try page(engine) == before.0 && page(engine, after: 2000) == before.1)
        for _ in 0..<AuditLog.capacity { try search(engine, as: guarded) }
        #expect(try page(engine) == before.0 && page(engine, after: 2000) == before.1)
        // A viewer that may see all sees the entries of both, in their order, and how many have gone.
        let root = CallerIdentity(user: 0, process: 1, program: "/bin/r", groups: [])
        var (page, numbers, lost) = (try page(engine, for: root), [UInt64](), UInt64(0))
        while !page.entries.isEmpty {
            numbers += page.entries.map(\.number)
            lost += page.lost
            page = try self.page(engine, after: page.next, for: root)
        }
        #expect(numbers.count == 2 * AuditLog.capacity && numbers == numbers.sorted() && lost == 17)
        #expect(page.next == UInt64(2 * AuditLog.capacity + 17))
    }

    @Test("The log is as long as it is, forgets the oldest, and says how many it forgot")
    func ring() throws {
        let engine = try TestEngine(in: directory)
        let one = Self.program("/bin/one")
        for _ in 0..<AuditLog.capacity + 10 { try search(engine, as: one) }
        var (page, seen) = (try page(engine), 0)
        #expect(page.lost == 10 && page.entries.first?.number == 11)
        while !page.entries.isEmpty {
            seen += page.entries.count
            page = try self.page(engine, after: page.next)
        }
        #expect(seen == AuditLog.capacity)
    }

    @Test("Only what is lacking after the user was asked is noted, and once")
    func guarded() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "v", more: ["accc": .control(.whenUnlocked, 1 << 1)])
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("r_Data", .boolean(true))
        engine.engine.authentication(
            .perform(.item(try builder.build()), context: nil, prompt: Prompt()), password: nil,
            from: TestEngine.caller, PromptCancellation(), id: 1, by: .never, into: ResponseWriter())
        #expect(try page(engine).entries.map(\.operation) == ["SecItemAdd", "SecItemCopyMatching"])
        #expect(try page(engine).entries.last?.status == 0)
    }

    @Test("Requests that change the device or a group are noted, looks are not")
    func device() throws {
        let engine = try TestEngine(in: directory)
        try engine.device(.lock)
        try engine.device(.status)
        _ = try engine.access(.setPolicy(.purge, group: "test"))
        #expect(try page(engine).entries.map(\.operation) == ["lock", "set group policy"])
    }

    @Test(
        "Refusals are written to the log of the daemon, a few at once and the others counted; names do not break lines")
    func lines() throws {
        let lines = Monitor<[String]>([])
        let engine = try TestEngine(in: directory, log: { line in lines.update { $0.append(line) } })
        let one = Self.program("/bin/one\nforged")
        for _ in 0..<40 { try search(engine, ["agrp": .string("OTHER.x")], as: one) }
        try search(engine, as: one)
        let written = lines.update { $0 }
        #expect((10...12).contains(written.count))
        #expect(written.allSatisfy { $0.contains("access.group-not-granted (OTHER.x)") && !$0.contains("\n") })
        #expect(written.allSatisfy { !$0.contains("findme-account") })
    }

    @Test("A long group name is shortened; memory does not grow with what is asked")
    func names() throws {
        let engine = try TestEngine(in: directory)
        try search(engine, ["agrp": .string(String(repeating: "g", count: 5000))], as: Self.program("/bin/one"))
        #expect(try page(engine).entries.first?.groups.first?.utf8.count == AuditLog.nameBytes + 3)
    }
}
