import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Long work looks at its deadline as it goes, not only when it begins.
@Suite("Deadlines")
struct DeadlineTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private static func search(_ more: [String: RawValue]) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        for (key, raw) in more { try builder.set(key, raw) }
        return try builder.build()
    }

    private static func addition(_ account: String) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        try builder.set("v_Data", data: Array("value".utf8).span)
        return try builder.build()
    }

    private func rule(_ body: () throws(Refusal) -> Void) -> Refusal.Rule? { failure(of: body)?.rule }

    @Test("An enumeration ends at its deadline")
    func enumeration() throws {
        _ = try engine.addTogether((0..<200).map { "\($0)" })
        let all = try Self.search(["m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true)])
        #expect(rule { () throws(Refusal) in _ = try engine.read(all, by: .now) } == .deadline)
        #expect(try engine.read(all, by: soon).items.count == 200)
    }

    @Test("A search for something without an index is interrupted at its deadline, and the next one is not")
    func search() throws {
        _ = try engine.addTogether((0..<4000).map { "\($0)" })
        let none = try Self.search(["desc": .string("none")])
        #expect(rule { () throws(Refusal) in _ = try engine.read(none, by: .now) } == .deadline)
        #expect(rule { () throws(Refusal) in _ = try engine.read(none) } == .notFound)
    }

    @Test(
        "A lookup is not answered when it takes longer than it may, or finds a large value, and nothing is noted of it")
    func lookUp() throws {
        _ = try engine.addTogether((0..<4000).map { "\($0)" })
        try engine.add("small", String(repeating: "x", count: (32 << 10) - 100))
        try engine.add("large", String(repeating: "x", count: (32 << 10) + 100))
        let itemReader = try engine.engine.makeItemReader()
        let find = { (request: ItemRequest, microseconds: Int) -> (answered: Bool, bytes: Int) in
            let writer = ResponseWriter()
            let answered = itemReader.lookUp(
                request, from: TestEngine.caller, id: 1, by: soon, within: microseconds,
                into: writer)
            return (answered, writer.buffer.count)
        }
        let long = 60_000_000
        let values = ["svce": RawValue.string("service"), "r_Data": .boolean(true)]
        #expect(find(try Self.search(values.merging(["acct": .string("small")]) { $1 }), long).answered == true)
        #expect(find(try Self.search(values.merging(["acct": .string("large")]) { $1 }), long) == (false, 0))
        let none = try Self.search(["desc": .string("none")])
        #expect(find(none, 1) == (false, 0))
        #expect(find(none, long).answered == true)
        #expect(
            itemReader.lookUp(
                none, from: TestEngine.caller, id: 1, by: .now, within: long, into: ResponseWriter()))
    }

    /// Reads in turns that are all due at once, and gives the answer with how many turns there were.
    private func readInTurns(
        _ request: ItemRequest, on itemReader: ItemReader, _ between: (Int) throws -> Void = { _ in }
    ) throws -> (turns: Int, answer: Result<ItemResponse, Refusal>) {
        var (place, turns) = (SearchPlace?.none, 0)
        while true {
            let writer = ResponseWriter()
            place = itemReader.read(
                request, from: TestEngine.caller, id: 1, by: .never, into: writer, goingOnAt: place,
                endingTurnWhen: { true })
            turns += 1
            guard place != nil else {
                let answer = writer.complete()
                return (
                    turns,
                    Result { () throws(Refusal) in try ItemResponse(status: answer.status, body: answer.body) }
                )
            }
            #expect(writer.buffer.count == 0)
            try between(turns)
        }
    }

    @Test(
        "A search that finds nothing goes on in turns, without an empty page, and is refused at its end",
        arguments: ["m_LimitOne", "m_LimitAll"])
    func turns(limit: String) throws {
        _ = try engine.addTogether((0..<300).map { "\($0)" })
        let itemReader = try engine.engine.makeItemReader()
        let none = try Self.search(["desc": .string("none"), "m_Limit": .string(limit)])
        let (turns, answer) = try readInTurns(none, on: itemReader)
        #expect(turns > 3 && turns < 8)
        #expect(throws: Refusal.self) { try answer.get() }
        if case .failure(let refusal) = answer { #expect(refusal.status == .itemNotFound) }
        guard case .decisions(let page) = try engine.access(.decisions(after: 300)) else {
            throw Refusal.malformed("the decisions")
        }
        #expect(page.entries.map(\.operation) == ["SecItemCopyMatching"])
    }

    @Test("A closed item that may be meant refuses a search for one, also when later turns looked at others")
    func closedTurns() throws {
        for account in 0..<70 { try engine.add("closed \(account)", "value") }
        for account in 0..<140 { try engine.add("open \(account)", "value", more: ["pdmn": .string("dk")]) }
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        let itemReader = try engine.engine.makeItemReader()
        let (turns, answer) = try readInTurns(try Self.search(["desc": .string("none")]), on: itemReader)
        #expect(turns > 3)
        if case .failure(let refusal) = answer { #expect(refusal.status == .interactionNotAllowed) }
        #expect(throws: Refusal.self) { try answer.get() }
    }

    @Test(
        "What comes and goes between the turns of a search is found or not; what is there all the time is found once",
        arguments: ["m_LimitOne", "m_LimitAll"])
    func changesBetweenTurns(limit: String) throws {
        _ = try engine.addTogether((0..<200).map { "\($0)" })
        try engine.add("wanted", "value", more: ["desc": .string("this one")])
        _ = try engine.addTogether((300..<500).map { "\($0)" })
        let itemReader = try engine.engine.makeItemReader()
        let request = try Self.search([
            "desc": .string("this one"), "m_Limit": .string(limit), "r_Attributes": .boolean(true),
        ])
        let (turns, answer) = try readInTurns(request, on: itemReader) { turn in
            try engine.tamper("DELETE FROM genp WHERE id <= \(20 * turn) OR id > \(450 - turn)")
            _ = try engine.addTogether((0..<20).map { "new \(turn) \($0)" })
        }
        #expect(turns > 2)
        #expect(try answer.get().items.map { $0.attributes[.account]?.string } == ["wanted"])
    }

    @Test("A page ends when others wait for it, not without having something, and the next goes on behind it")
    func pages() throws {
        _ = try engine.addTogether((0..<300).map { "\($0)" })
        let itemReader = try engine.engine.makeItemReader()
        var request = try Self.search(["m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true)])
        var (accounts, pages) = ([String?](), 0)
        repeat {
            let writer = ResponseWriter()
            let place = itemReader.read(
                request, from: TestEngine.caller, id: 1, by: .never, into: writer, goingOnAt: nil,
                endingTurnWhen: { true })
            #expect(place == nil)
            let answer = writer.complete()
            let page = try ItemResponse(status: answer.status, body: answer.body)
            #expect(!page.items.isEmpty)
            accounts += page.items.map { $0.attributes[.account]?.string }
            (request.cursor, pages) = (page.cursor, pages + 1)
        } while request.cursor != 0
        #expect(pages > 3 && accounts.count == 300 && Set(accounts).count == 300)
    }

    @Test("A write that begins after its deadline is not performed, and another in its transaction is")
    func lateWrite() throws {
        let caller = TestEngine.caller
        let late = PendingWrite(try Self.addition("late"), from: caller, id: 1, by: .now)
        let timely = PendingWrite(
            try Self.addition("timely"), from: caller, id: 2, by: soon)
        engine.engine.write([late, timely])
        let refusal = Refusal(decoding: late.writer.complete().body, status: late.writer.complete().status)
        #expect(refusal.rule == .deadline)
        #expect(timely.writer.complete().status == 0)
        #expect(try engine.values().keys.sorted() == ["timely"])
    }

    @Test("A write waits for another process until its deadline and no longer")
    func foreignWriter() throws {
        let other = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        try other.execute("BEGIN IMMEDIATE", "be held")
        let start = Clock.monotonicNanoseconds
        let refusal = failure { () throws(Refusal) in
            _ = try engine.write(try Self.addition("a"), by: .after(milliseconds: 100))
        }
        #expect(refusal?.status == .notAvailable)
        // Without a deadline a writer waits for ten seconds.
        #expect(Clock.monotonicNanoseconds - start < 8_000_000_000)
        try other.execute("ROLLBACK", "be let go")
        #expect(try engine.values().isEmpty)
        _ = try engine.write(try Self.addition("a"), by: soon)
        #expect(try engine.values().count == 1)
    }

    @Test("A write that waits for another thread is withdrawn at its deadline and never performed")
    func withdrawn() throws {
        let isReleased = Monitor(false)
        let isHeld = Monitor(false)
        let engine = engine
        let holder = try Thread(named: "holder") {
            engine.engine.exclusively { _ in
                isHeld.update { $0 = true }
                _ = isReleased.wait(deadline: soon) { $0 ? true : nil }
            }
        }
        #expect(isHeld.wait(deadline: soon) { $0 ? true : nil } == true)
        let addition = try Self.addition("a")
        #expect(
            rule { () throws(Refusal) in _ = try engine.write(addition, by: .after(milliseconds: 50)) } == .deadline)
        isReleased.update { $0 = true }
        holder.join()
        _ = try engine.write(try Self.addition("b"))
        #expect(try engine.values().keys.sorted() == ["b"])
    }
}
