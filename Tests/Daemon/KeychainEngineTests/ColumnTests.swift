import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Tests what is found by columns, what by comparing opened attributes, and what the columns show.
@Suite("Searching by attributes with and without columns")
struct ColumnTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let other = caller("other")
    private static let both = caller("test", "other")
    private static let any = caller("*")

    private static func caller(_ groups: String...) -> CallerIdentity {
        CallerIdentity(user: 0, process: 0, program: groups.joined(), groups: groups)
    }

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func request(
        _ operation: ItemRequest.Operation, _ attributes: [String: RawValue], _ value: String? = nil
    ) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        if attributes["class"] == nil { try builder.set("class", .string("genp")) }
        for (key, raw) in attributes { try builder.set(key, raw) }
        if let value { try builder.set("v_Data", data: Array(value.utf8).span) }
        return try builder.build()
    }

    private func add(
        _ value: String, _ attributes: [String: RawValue], as caller: CallerIdentity = TestEngine.caller
    ) throws {
        _ = try engine.perform(try request(.add, attributes, value), from: caller)
    }

    private func find(
        _ attributes: [String: RawValue], as caller: CallerIdentity = TestEngine.caller, all: Bool = true
    ) throws(Refusal) -> [String] {
        var attributes = attributes
        attributes["r_Data"] = .boolean(true)
        if all { attributes["m_Limit"] = .string("m_LimitAll") }
        let items = try engine.perform(try request(.copyMatching, attributes), from: caller).items
        return items.compactMap { $0.attributes[.valueData]?.string }.sorted()
    }

    private func digests(_ sql: String) throws -> [[UInt8]] {
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        let statement = try database.prepare(sql, "be read")
        var found: [[UInt8]] = []
        while try statement.step() { found.append(statement.withBlob(0) { $0.array(0, $0.count) }) }
        return found
    }

    @Test("One name has another digest in every group and class, and is found in each")
    func salted() throws {
        for caller in [TestEngine.caller, Self.other] {
            try add("of \(caller.groups[0])", ["svce": .string("s"), "acct": .string("a")], as: caller)
            try add("i", ["class": .string("inet"), "acct": .string("a")], as: caller)
        }
        let found = try digests("SELECT acct FROM genp UNION ALL SELECT svce FROM genp UNION ALL SELECT acct FROM inet")
        #expect(found.count == 6 && Set(found).count == 6)
        let names: [String: RawValue] = ["svce": .string("s"), "acct": .string("a")]
        #expect(try find(names) == ["of test"] && find(names, as: Self.other) == ["of other"])
        #expect(try find(names, as: Self.both) == ["of other", "of test"])
        #expect(try find(names, as: Self.any) == ["of other", "of test"])
    }

    @Test("A digest that is copied from another group finds nothing, and its row is named")
    func copied() throws {
        try add("bank", ["svce": .string("bank.example")])
        try add("own", ["svce": .string("own.example")], as: Self.other)
        try engine.tamper("UPDATE genp SET svce = (SELECT svce FROM genp WHERE id = 2) WHERE id = 1")
        for caller in [TestEngine.caller, Self.both, Self.any] {
            let found = try? find(["svce": .string("own.example")], as: caller)
            #expect(found == (caller.groups == ["test"] ? nil : ["own"]))
        }
        #expect(try engine.verify().damage.map(\.row) == [1])
    }

    @Test("A group that a program has twice is looked into once")
    func twice() throws {
        try add("one", ["svce": .string("s")])
        #expect(try find(["svce": .string("s")], as: Self.caller("test", "other", "test")) == ["one"])
    }

    private static let without: [(String, RawValue)] = [
        ("icmt", .string("wanted")), ("desc", .string("wanted")), ("gena", .data(Array("wanted".utf8))),
        ("crtr", .number(7)), ("type", .number(7)), ("invi", .boolean(true)), ("alis", .string("wanted")),
    ]

    @Test("What has no column is found when it is open, by one and by several groups", arguments: without)
    func open(_ code: String, _ value: RawValue) throws {
        try add("no", ["acct": .string("a")])
        try add("yes", ["acct": .string("b"), code: value])
        try add("foreign", ["acct": .string("b"), code: value], as: Self.other)
        #expect(try find([code: value]) == ["yes"] && find([code: value], all: false) == ["yes"])
        #expect(try find([code: value, "acct": .string("b")]) == ["yes"])
        #expect(refusal { _ = try find([code: value, "acct": .string("a")]) }?.status == .itemNotFound)
        #expect(try find([code: value], as: Self.both) == ["foreign", "yes"])
        #expect(try find([code: value], as: Self.any) == ["foreign", "yes"])
    }

    @Test("While its class is closed it is not known whether an item is meant: that is refused, unless no item can be")
    func locked() throws {
        try add("closed", ["acct": .string("a"), "svce": .string("s"), "icmt": .string("wanted")])
        try add("open", ["acct": .string("b"), "icmt": .string("wanted"), "pdmn": .string("dk")])
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(refusal { _ = try find(["icmt": .string("wanted")]) }?.status == .interactionNotAllowed)
        #expect(refusal { _ = try find(["icmt": .string("another")], all: false) }?.status == .interactionNotAllowed)
        // An open one is an answer where one is enough, or where the columns say that no other is meant.
        #expect(try find(["icmt": .string("wanted")], all: false) == ["open"])
        #expect(try find(["icmt": .string("wanted"), "acct": .string("b")]) == ["open"])
        #expect(try find(["icmt": .string("wanted"), "pdmn": .string("dk")]) == ["open"])
        #expect(refusal { _ = try find(["icmt": .string("wanted"), "svce": .string("t")]) }?.status == .itemNotFound)
        try engine.device(.unlock, "1")
        #expect(try find(["icmt": .string("wanted")]) == ["closed", "open"])
    }

    @Test("Of several groups one that is closed is no answer either")
    func lockedElsewhere() throws {
        try add("closed", ["svce": .string("s"), "icmt": .string("other")], as: Self.other)
        try add("open", ["svce": .string("s"), "icmt": .string("wanted"), "pdmn": .string("dk")])
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        let query: [String: RawValue] = ["svce": .string("s"), "icmt": .string("wanted")]
        #expect(try find(query) == ["open"])
        #expect(refusal { _ = try find(query, as: Self.both) }?.status == .interactionNotAllowed)
        #expect(try find(query, as: Self.both, all: false) == ["open"])
    }

    @Test("Updates and deletions take what is meant and nothing else, and are refused while that is not known")
    func writes() throws {
        for (name, comment) in [("a", "wanted"), ("b", "wanted"), ("c", "other")] {
            try add(name, ["acct": .string(name), "icmt": .string(comment)])
        }
        try add("d", ["acct": .string("d"), "icmt": .string("wanted")], as: Self.other)
        let deletion = try request(.delete, ["icmt": .string("wanted")])
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(refusal { _ = try engine.write(deletion) }?.status == .interactionNotAllowed)
        try engine.device(.unlock, "1")
        #expect(try engine.values().count == 3)
        var update = ItemRequestBuilder(.update)
        try update.set("class", .string("genp"))
        try update.set("icmt", .string("wanted"))
        try update.change("labl", .string("changed"))
        _ = try engine.write(try update.build())
        #expect(try find(["labl": .string("changed")]) == ["a", "b"])
        _ = try engine.write(deletion)
        #expect(try engine.values().keys.sorted() == ["c"])
        #expect(refusal { _ = try engine.write(deletion) }?.status == .itemNotFound)
        #expect(try find([:], as: Self.other) == ["d"])
    }

    @Test("By what has a column items are deleted while they are closed")
    func deletedWhileClosed() throws {
        try add("a", ["acct": .string("a")])
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        _ = try engine.write(try request(.delete, ["acct": .string("a")]))
        try engine.device(.unlock, "1")
        #expect(try engine.values().isEmpty)
    }

    @Test("The user is asked for what is meant, and for no other item")
    func guarded() throws {
        try engine.device(.setPasscode, "1")
        for (name, comment) in [("a", "wanted"), ("b", "other")] {
            try add(
                name,
                [
                    "acct": .string(name), "icmt": .string(comment), "accc": .control(.whenUnlocked, 1 << 4),
                ])
        }
        let refused = refusal { _ = try find(["icmt": .string("another")]) }
        #expect(refused?.status == .itemNotFound)
        #expect(refusal { _ = try find(["icmt": .string("wanted")]) }?.status == .authNeeded)
        var update = ItemRequestBuilder(.update)
        try update.set("class", .string("genp"))
        try update.set("icmt", .string("another"))
        try update.change("labl", .string("changed"))
        let request = try update.build()
        #expect(refusal { _ = try engine.write(request) }?.status == .itemNotFound)
    }

    @Test("The halves of an identity are compared each with what is asked of it")
    func identities() throws {
        let hash = RawValue.data([UInt8](repeating: 5, count: 20))
        for caller in [TestEngine.caller, Self.other] {
            try add(
                "certificate",
                [
                    "class": .string("cert"), "pkhh": hash, "labl": .string("L"), "cenc": .number(3),
                    "slnr": .data([1]),
                ], as: caller)
            try add(
                "key",
                [
                    "class": .string("keys"), "klbl": hash, "kcls": .string("1"), "labl": .string("K"),
                    "bsiz": .number(256),
                ], as: caller)
        }
        let wanted: [[String: RawValue]] = [
            ["labl": .string("L")], ["cenc": .number(3)], ["bsiz": .number(256)],
            ["cenc": .number(3), "bsiz": .number(256)],
        ]
        let unwanted: [[String: RawValue]] = [["labl": .string("K")], ["cenc": .number(1)], ["bsiz": .number(512)]]
        for caller in [TestEngine.caller, Self.both, Self.any] {
            for query in wanted { #expect(try identities(query, as: caller) == (caller.groups == ["test"] ? 1 : 4)) }
            for query in unwanted { #expect(try identities(query, as: caller) == 0) }
        }
        _ = try engine.write(try request(.delete, ["class": .string("idnt"), "bsiz": .number(256)]))
        #expect(try identities([:], as: TestEngine.caller) == 0 && identities([:], as: Self.other) == 1)
    }

    private func identities(_ query: [String: RawValue], as caller: CallerIdentity) throws -> Int {
        var query = query
        query["class"] = .string("idnt")
        query["r_Attributes"] = .boolean(true)
        query["m_Limit"] = .string("m_LimitAll")
        do throws(Refusal) {
            return try engine.perform(try request(.copyMatching, query), from: caller).items.count
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return 0
        }
    }

    @Test("More than a thousand groups are looked into at once, page by page")
    func manyGroups() throws {
        let writes = try (0..<1100).map { number in
            PendingWrite(
                try request(
                    .add, ["svce": .string("s"), "acct": .string("\(number)")], String(repeating: "x", count: 400)),
                from: Self.caller("group\(number)"), id: 1, by: .never)
        }
        engine.engine.write(writes)
        #expect(writes.allSatisfy { $0.writer.complete().status == 0 })
        var (found, cursor, pages) = (0, UInt64(0), 0)
        repeat {
            var search = try request(
                .copyMatching, ["svce": .string("s"), "r_Data": .boolean(true), "m_Limit": .string("m_LimitAll")])
            search.cursor = cursor
            let answer = try engine.perform(search, from: Self.any)
            (found, cursor, pages) = (found + answer.items.count, answer.cursor, pages + 1)
        } while cursor > 0
        #expect(found == 1100 && pages > 1)
    }

    @Test("A limit that is reached ends a page, and the same limit goes on behind it")
    func smallPages() throws {
        for number in 0..<10 { try add("\(number)", ["acct": .string("\(number)")]) }
        var (found, cursor, pages) = (0, UInt64(0), 0)
        repeat {
            var search = try request(.copyMatching, ["r_PersistentRef": .boolean(true), "m_Limit": .number(3)])
            search.cursor = cursor
            let answer = try engine.perform(search, from: Self.any)
            #expect(answer.items.count <= 3)
            (found, cursor, pages) = (found + answer.items.count, answer.cursor, pages + 1)
        } while cursor > 0
        #expect(found == 10 && pages == 4)
    }

    @Test("Why a search finds nothing is said of attributes without columns, and of groups, too")
    func explained() throws {
        try add("one", ["acct": .string("a"), "icmt": .string("there")])
        let differs = ["query.attribute-differs acct", "query.attribute-differs icmt"]
        let query: [String: RawValue] = ["acct": .string("b"), "icmt": .string("wanted")]
        #expect(try why(query, as: TestEngine.caller) == [differs])
        #expect(
            try why(["acct": .string("a"), "agrp": .string("other")], as: Self.both) == [
                ["access.group-not-granted agrp"]
            ])
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(try why(["icmt": .string("wanted")], as: TestEngine.caller) == [["state.locked ak"]])
    }

    private func why(_ query: [String: RawValue], as caller: CallerIdentity) throws -> [[String]] {
        let buffer = SecretBuffer()
        try request(.copyMatching, query).append(to: buffer)
        let bytes = buffer.withSpan { $0.array(0, $0.count) }
        guard case .explanation(let found) = try engine.access(.why(program: "", query: bytes), from: caller) else {
            return []
        }
        return found.candidates.map { $0.exclusions.map { "\($0.rule.rawValue) \($0.subject)" } }
    }
}
