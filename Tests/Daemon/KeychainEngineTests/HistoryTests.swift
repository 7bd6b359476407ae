import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Earlier versions of items")
struct HistoryTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The fields of a version in the history.
    struct Shown: Equatable {
        let account: String
        let end: VersionEnd
        var ended = 0.0

        static func == (a: Shown, b: Shown) -> Bool { a.account == b.account && a.end == b.end }
    }

    private static let stranger = CallerIdentity(user: 0, process: 1, program: "stranger", groups: ["OTHER.app"])

    static func request(
        _ operation: ItemRequest.Operation, _ account: String? = "a", asOf moment: Double? = nil,
        _ itemClass: String = "genp", isForGood: Bool = false, changing value: String? = nil
    ) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string(itemClass))
        if let account { try builder.set("acct", .string(account)) }
        if operation == .history { try builder.set("m_Limit", .string("m_LimitAll")) }
        if operation == .history || operation == .restore { try builder.set("r_Attributes", .boolean(true)) }
        if let value { try builder.change("v_Data", data: Array(value.utf8).span) }
        if let moment { builder.restore(asOf: moment) }
        if isForGood { builder.leaveNoHistory() }
        return try builder.build()
    }

    func update(_ engine: TestEngine, _ account: String?, _ value: String) throws {
        _ = try engine.write(try Self.request(.update, account, changing: value))
    }

    func delete(_ engine: TestEngine, _ account: String, isForGood: Bool = false) throws {
        _ = try engine.write(try Self.request(.delete, account, isForGood: isForGood))
    }

    func restore(_ engine: TestEngine, _ account: String, asOf moment: Double? = nil) throws {
        // With a passcode, the user shows presence first.
        let writer = ResponseWriter()
        engine.engine.authentication(
            .perform(.item(try Self.request(.restore, account, asOf: moment)), context: nil, prompt: Prompt()),
            password: nil, from: TestEngine.caller, PromptCancellation(), id: 1, by: .never, into: writer)
        let answer = writer.complete()
        _ = try ItemResponse(status: answer.status, body: answer.body)
    }

    func history(
        _ engine: TestEngine, _ account: String? = nil, from caller: CallerIdentity = TestEngine.caller
    ) throws -> [Shown] {
        do {
            return try engine.perform(try Self.request(.history, account), from: caller).items.map { item in
                #expect(item.attributes[.valueData] == nil)
                let end = item.attributes[.versionEnd]?.number.flatMap { VersionEnd(rawValue: UInt8($0)) }
                guard case .date(let ended)? = item.attributes[.versionEnded] else { throw NoDate() }
                return Shown(account: item.attributes[.account]?.string ?? "", end: try #require(end), ended: ended)
            }
        } catch let refused as Refusal {
            guard refused.status == .itemNotFound else { throw refused }
            return []
        }
    }

    private struct NoDate: Error {}

    func count(_ engine: TestEngine, _ sql: String = "SELECT count(*) FROM history") throws -> Int64 {
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        return try database.integer(sql, "be counted") ?? -1
    }

    // MARK: - Keeping

    @Test("An update and a deletion keep what the item was; an add, a search and a refused update keep nothing")
    func keeps() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try engine.add("b", "other")
        _ = try engine.values()
        #expect(try history(engine) == [])
        try update(engine, "a", "two")
        try delete(engine, "a")
        #expect(try history(engine) == [Shown(account: "a", end: .changed), Shown(account: "a", end: .deleted)])
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string("b"))
        try builder.change("acct", .string("c"))
        try engine.add("c", "taken")
        let request = try builder.build()
        #expect(refusal { _ = try engine.write(request) }?.status == .duplicateItem)
        #expect(try history(engine, "b") == [])
        #expect(try engine.verify().damage == [])
    }

    @Test("An update of many items whose last is refused keeps nothing of any")
    func rolledBack() throws {
        let engine = try TestEngine(in: directory)
        for index in 0..<40 { try engine.add("\(index)", "one") }
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.change("acct", .string("all the same"))
        let request = try builder.build()
        #expect(refusal { _ = try engine.write(request) }?.status == .duplicateItem)
        #expect(try count(engine) == 0)
        try update(engine, nil, "two")
        #expect(try count(engine) == 40)
    }

    @Test(
        "Nothing is kept of items of this device only, nor of those that go with the passcode",
        arguments: ["aku", "cku", "dku", "akpu"])
    func thisDeviceOnly(code: String) throws {
        let engine = try TestEngine(in: directory)
        if code == "akpu" { try engine.device(.setPasscode, "1") }
        try engine.add("a", "one", more: ["pdmn": .string(code)])
        try update(engine, "a", "two")
        try delete(engine, "a")
        #expect(try count(engine) == 0)
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
    }

    @Test("With 0 days nothing is kept, and what was kept before is neither shown nor brought back, and goes")
    func off() throws {
        do {
            let engine = try TestEngine(in: directory)
            try engine.add("a", "one")
            try delete(engine, "a")
            #expect(try count(engine) == 1)
        }
        let engine = try TestEngine(in: directory, history: HistoryLimits(days: 0))
        #expect(try history(engine) == [])
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
        try engine.add("b", "one")
        try delete(engine, "b")
        #expect(try count(engine) == 0)
    }

    @Test("A deletion for good keeps nothing, and drops what was kept before")
    func forGood() throws {
        let engine = try TestEngine(in: directory)
        for account in ["a", "b"] { try engine.add(account, "one") }
        for account in ["a", "b"] { try update(engine, account, "two") }
        try delete(engine, "a", isForGood: true)
        #expect(try history(engine) == [Shown(account: "b", end: .changed)])
    }

    @Test("A deletion for good drops also what had the same name before")
    func forGoodAgain() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try delete(engine, "a")
        try engine.add("a", "two")
        try delete(engine, "a", isForGood: true)
        #expect(try count(engine) == 0)
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
    }

    @Test("A change of an item's class leaves nothing of it under the class that it had")
    func otherClass() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        #expect(try count(engine) == 1)
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.change("pdmn", .string("aku"))
        _ = try engine.write(try builder.build())
        #expect(try count(engine) == 0)
        #expect(try engine.values() == ["a": "two"])
    }

    // MARK: - Bringing back

    @Test("A deleted item comes back as it was, under the same reference, and its deletion is no longer in the history")
    func undelete() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one", more: ["labl": .string("label"), "icmt": .string("comment")])
        var search = ItemRequestBuilder(.copyMatching)
        try search.set("class", .string("genp"))
        for flag in ["r_Attributes", "r_PersistentRef", "r_Data"] { try search.set(flag, .boolean(true)) }
        let request = try search.build()
        let before = try #require(try engine.read(request).items.first)
        try delete(engine, "a")
        try restore(engine, "a")
        let after = try #require(try engine.read(request).items.first)
        for id in [.label, .comment, .creationDate, .persistentReference, .valueData] as [AttributeID] {
            #expect(after.attributes[id] == before.attributes[id])
        }
        #expect(try history(engine) == [])
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
        #expect(try engine.verify().damage == [])
    }

    @Test("Of several deleted items of the same name the last one comes back")
    func last() throws {
        let engine = try TestEngine(in: directory)
        for value in ["one", "two"] {
            try engine.add("a", value)
            try delete(engine, "a")
        }
        try restore(engine, "a")
        #expect(try engine.values() == ["a": "two"])
    }

    @Test(
        "Where another item has the name meanwhile, a deleted one does not come back, and stays in the history (-25299)"
    )
    func duplicate() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try delete(engine, "a")
        try engine.add("a", "two")
        #expect(refusal { try restore(engine, "a") }?.status == .duplicateItem)
        #expect(try engine.values() == ["a": "two"])
        #expect(try history(engine) == [Shown(account: "a", end: .deleted)])
    }

    @Test("A deleted item of a circle takes the place of its tombstone")
    func tombstone() throws {
        let engine = try TestEngine(in: directory)
        try CircleRecords(engine.engine).enter()
        try engine.add("a", "one", more: ["sync": .number(1)])
        var builder = ItemRequestBuilder(.delete)
        try builder.set("class", .string("genp"))
        try builder.set("sync", .string("syna"))
        _ = try engine.write(try builder.build())
        #expect(try count(engine, "SELECT count(*) FROM genp WHERE tomb = 1") == 1)
        #expect(try count(engine) == 1)
        try restore(engine, "a")
        #expect(try count(engine, "SELECT count(*) FROM genp WHERE tomb = 1") == 0)
        #expect(try count(engine, "SELECT count(*) FROM genp WHERE sync = 1") == 1)
    }

    @Test("An item gets back what it had at a time, and what it had until now becomes a version")
    func asOf() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        for value in ["two", "three"] { try update(engine, "a", value) }
        let versions = try history(engine)
        #expect(versions.count == 2)
        // The moment before a version ended is one in which it held.
        let moment = versions[1].ended - 0.000_001
        try restore(engine, "a", asOf: moment)
        #expect(try engine.values() == ["a": "two"])
        #expect(try history(engine).count == 3)
        try restore(engine, "a", asOf: versions[0].ended - 0.000_001)
        #expect(try engine.values() == ["a": "one"])
        // When one ended the next had begun.
        try restore(engine, "a", asOf: versions[0].ended)
        #expect(try engine.values() == ["a": "two"])
        try restore(engine, "a", asOf: versions[0].ended - 0.000_001)
        #expect(refusal { try restore(engine, "a", asOf: versions[0].ended - 86400) }?.status == .itemNotFound)
        #expect(refusal { try restore(engine, "a", asOf: versions[1].ended + 86400) }?.status == .itemNotFound)
        #expect(try engine.values() == ["a": "one"])
        #expect(try engine.verify().damage == [])
    }

    @Test("A version is found and brought back though the item has another name now")
    func renamed() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.change("acct", .string("b"))
        _ = try engine.write(try builder.build())
        let ended = try #require(try history(engine, "a").first).ended
        try restore(engine, "b", asOf: ended - 0.000_001)
        #expect(try engine.values() == ["a": "one"])
    }

    // MARK: - Who may

    @Test("A program of another group sees no version, brings nothing back, and can drop nothing")
    func borders() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        let ended = try #require(try history(engine).first).ended
        try delete(engine, "a")
        #expect(try history(engine, from: Self.stranger) == [])
        for request in [
            try Self.request(.restore), try Self.request(.restore, asOf: ended - 0.1), try Self.request(.forget),
        ] {
            #expect(refusal { _ = try engine.perform(request, from: Self.stranger) }?.status == .itemNotFound)
        }
        var named = ItemRequestBuilder(.history)
        try named.set("class", .string("genp"))
        try named.set("agrp", .string("test"))
        let request = try named.build()
        #expect(refusal { _ = try engine.perform(request, from: Self.stranger) }?.status == .missingEntitlement)
        #expect(try history(engine).count == 2)
    }

    @Test("History gives no value and looks at no other program's items, whoever asks")
    func noValues() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try delete(engine, "a")
        var builder = ItemRequestBuilder(.history)
        try builder.set("class", .string("genp"))
        try builder.set("r_Data", .boolean(true))
        let request = try builder.build()
        #expect(refusal { _ = try engine.perform(request, from: TestEngine.caller) }?.status == .param)
        // A reference that is a row's number would name nothing, and so everything.
        var old = ItemRequestBuilder(.forget)
        try old.set("v_PersistentRef", .data(Array("genp".utf8) + [0, 0, 0, 0, 0, 0, 0, 1]))
        let forget = try old.build()
        #expect(refusal { _ = try engine.write(forget) }?.status == .param)
        #expect(try count(engine) == 1)
    }

    @Test("Who opens the keychain with 0 days drops what others have kept, for all of them at once")
    func noDays() throws {
        let engine = try TestEngine(in: directory, exclusive: false)
        try engine.add("a", "one")
        try delete(engine, "a")
        #expect(try count(engine) == 1)
        let other = try TestEngine(in: directory, exclusive: false, history: HistoryLimits(days: 0))
        #expect(try count(engine) == 0)
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
        withExtendedLifetime(other) {}
    }

    @Test("An item that its user guards is shown and comes back only when he was asked, in either way")
    func guarded() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one", more: ["accc": .control(.whenUnlocked, 1 << 1)])
        try delete(engine, "a")
        let restore = try Self.request(.restore)
        #expect(refusal { _ = try engine.write(restore) }?.status == .authNeeded)
        #expect(
            refusal { _ = try engine.perform(try Self.request(.history), from: TestEngine.caller) }?.status
                == .authNeeded)
        #expect(engine.agent.questions.isEmpty)
        _ = try ask(restore, engine)
        #expect(engine.agent.questions.count == 1)
        let update = try Self.request(.update, changing: "two")
        _ = try ask(update, engine)
        let versions = try ask(try Self.request(.history), engine).items
        let asked = engine.agent.questions.count
        guard case .date(let ended)? = versions.first?.attributes[.versionEnded] else { throw NoDate() }
        let earlier = try Self.request(.restore, asOf: ended - 0.000_001)
        #expect(refusal { _ = try engine.write(earlier) }?.status == .authNeeded)
        _ = try ask(earlier, engine)
        // Once for what it is and what it was.
        #expect(engine.agent.questions.count == asked + 1)
        #expect(try engine.verify().damage == [])
    }

    private func ask(_ request: ItemRequest, _ engine: TestEngine) throws(Refusal) -> ItemResponse {
        let writer = ResponseWriter()
        engine.engine.authentication(
            .perform(.item(request), context: nil, prompt: Prompt()), password: nil, from: TestEngine.caller,
            PromptCancellation(), id: 1, by: .never, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    @Test("In a closed class a version is neither shown nor brought back (-25308), and a deletion keeps it")
    func locked() throws {
        let engine = try TestEngine(in: directory)
        try engine.device(.setPasscode, "1")
        try engine.add("a", "one")
        try engine.device(.lock)
        try delete(engine, "a")
        #expect(
            refusal { _ = try engine.perform(try Self.request(.history), from: TestEngine.caller) }?.status
                == .interactionNotAllowed)
        #expect(refusal { try restore(engine, "a") }?.status == .interactionNotAllowed)
        try engine.device(.unlock, "1")
        try restore(engine, "a")
        #expect(try engine.values() == ["a": "one"])
    }

    @Test("What was kept under one passcode comes back under another")
    func passcode() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try delete(engine, "a")
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        try engine.device(.unlock, "1")
        try restore(engine, "a")
        #expect(try engine.values() == ["a": "one"])
    }

    // MARK: - Tampering

    @Test(
        "A version of which any column is another is not shown and not brought back, and verification says so",
        arguments: [
            "class", "uuid", "pk", "pdmn", "sync", "agrp", "wkey", "meta", "data", "ownr", "ended", "event", "code",
        ])
    func tampered(column: String) throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try delete(engine, "a")
        let numbers = ["class": 2, "pdmn": 3, "sync": 1, "ended": 800_000_000_000_000, "event": 1]
        let other = "CASE substr(\(column), 4, 1) WHEN x'FE' THEN x'FF' ELSE x'FE' END"
        let blob = "CAST(substr(\(column), 1, 3) || \(other) || substr(\(column), 5) AS BLOB)"
        try engine.tamper("UPDATE history SET \(column) = \(numbers[column].map(String.init) ?? blob)")
        #expect(try history(engine) == [])
        #expect(refusal { try restore(engine, "a") }?.status == .itemNotFound)
        let writer = ResponseWriter()
        engine.engine.device(
            .verify(from: VerificationCursor(nil, after: 0)), passcodes: [], from: TestEngine.caller, id: 1, by: .never,
            into: writer)
        let text = writer.complete().body.withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }
        #expect(text.contains("1 earlier versions"))
    }

    @Test("An older version put in the place of the item's row is no row of its table")
    func notARow() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        try engine.tamper("UPDATE genp SET (wkey, meta, data, code) = (SELECT wkey, meta, data, code FROM history)")
        #expect(try engine.values() == [:])
    }
}
