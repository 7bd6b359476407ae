import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Quotas")
struct QuotaTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func caller(_ program: String) -> CallerIdentity {
        CallerIdentity(user: 1, process: 1, program: program, groups: ["test"])
    }

    private func add(
        _ account: String, _ value: Int = 8, as program: String, to engine: TestEngine
    ) throws(Refusal) {
        _ = try engine.perform(try addition(account, value), from: Self.caller(program))
    }

    private func addition(_ account: String, _ value: Int) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        try builder.set("v_Data", data: [UInt8](repeating: 7, count: value).span)
        return try builder.build()
    }

    private func change(
        _ operation: ItemRequest.Operation, _ account: String, value: Int = 0, as program: String, in engine: TestEngine
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        if operation == .update { try builder.change("v_Data", data: [UInt8](repeating: 7, count: value).span) }
        _ = try engine.perform(try builder.build(), from: Self.caller(program))
    }

    private func check(_ refusal: Refusal?, _ subject: String) {
        #expect(refusal?.status == .diskFull && refusal?.rule == .quota && refusal?.subject == subject)
    }

    @Test(
        "The last item of a program is taken, the next refused; another program or a deleted item changes nothing",
        .rule("results.status.disk-full"),
        arguments: [true, false])
    func programItems(isAlone: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isAlone, quotas: Quotas(programItems: 2))
        for account in ["a", "b"] { try add(account, as: "one", to: engine) }
        check(refusal { try add("c", as: "one", to: engine) }, "items")
        try add("c", as: "two", to: engine)
        try change(.delete, "a", as: "one", in: engine)
        try add("d", as: "one", to: engine)
        check(refusal { try add("e", as: "one", to: engine) }, "items")
        #expect(try engine.values().count == 3)
    }

    @Test("The last item of the user is taken, whoever adds it, and the next refused", arguments: [true, false])
    func items(isAlone: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isAlone, quotas: Quotas(items: 2))
        try add("a", as: "one", to: engine)
        try add("b", as: "two", to: engine)
        for program in ["one", "two", "three"] { check(refusal { try add("c", as: program, to: engine) }, "items") }
    }

    @Test(
        "Bytes count to the last: a value that just fits is taken, and one padded further refused",
        arguments: [true, false], [true, false])
    func bytes(ofProgram: Bool, isAlone: Bool) throws {
        let beside = try TemporaryDirectory()
        let probe = try TestEngine(in: beside)
        try add("a", 1000, as: "one", to: probe)
        let size = try probe.usage().bytes
        let exact = ofProgram ? Quotas(programBytes: UInt64(size)) : Quotas(bytes: UInt64(size))
        let engine = try TestEngine(in: directory, exclusive: isAlone, quotas: exact)
        check(refusal { try add("a", 1100, as: "one", to: engine) }, "bytes")
        try add("a", 1000, as: "one", to: engine)
        check(refusal { try change(.update, "a", value: 1100, as: "one", in: engine) }, "bytes")
        try change(.update, "a", value: 10, as: "one", in: engine)
    }

    @Test("Who changes an item has it counted as his, and may not grow another program's past the limit")
    func ownership() throws {
        let engine = try TestEngine(in: directory, quotas: Quotas(programItems: 1))
        try add("a", as: "one", to: engine)
        try add("b", as: "two", to: engine)
        check(refusal { try change(.update, "a", value: 9, as: "two", in: engine) }, "items")
        try change(.update, "a", value: 9, as: "three", in: engine)
        try add("c", as: "one", to: engine)
    }

    @Test("After a limit was lowered, what makes less is let through")
    func lowered() throws {
        try add("a", 5000, as: "one", to: try TestEngine(in: directory))
        let engine = try TestEngine(in: directory, quotas: Quotas(bytes: 100))
        check(refusal { try add("b", as: "one", to: engine) }, "bytes")
        try change(.update, "a", value: 4000, as: "one", in: engine)
        var again = try addition("a", 3000)
        again.updatesExisting = true
        _ = try engine.perform(again, from: Self.caller("one"))
        try change(.delete, "a", as: "one", in: engine)
    }

    @Test("A refused write of many leaves the others alone, and the counters with them", arguments: [true, false])
    func together(isAlone: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isAlone, quotas: Quotas(items: 2))
        #expect(try engine.addTogether(["a", "b", "c"]) == [0, 0, KeychainStatus.diskFull.rawValue])
        #expect(try engine.usage().items == 2)
    }

    @Test(
        "Whatever is done in whatever order, nobody has more than he may and nobody is refused before",
        arguments: [true, false])
    func anyOrder(isAlone: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isAlone, quotas: Quotas(items: 7, programItems: 3))
        var random = SplitMix64(seed: 11)
        var owners: [String: String] = [:]
        for _ in 0..<400 {
            let account = "\(Int.random(in: 0..<10, using: &random))"
            let program = "\(Int.random(in: 0..<4, using: &random))"
            let found = owners[account]
            let isFull =
                found == nil && owners.count == 7 || found != program && owners.values.count { $0 == program } == 3
            switch (Int.random(in: 0..<3, using: &random), found) {
            case (0, nil):
                let refusal = refusal { try add(account, as: program, to: engine) }
                #expect(refusal?.rule == (isFull ? .quota : nil))
                if refusal == nil { owners[account] = program }
            case (1, .some):
                let size = Int.random(in: 0..<100, using: &random)
                let refusal = refusal { try change(.update, account, value: size, as: program, in: engine) }
                #expect(refusal?.rule == (isFull ? .quota : nil))
                if refusal == nil { owners[account] = program }
            case (2, .some):
                try change(.delete, account, as: program, in: engine)
                owners[account] = nil
            default: continue
            }
            if Int.random(in: 0..<20, using: &random) == 0 { engine.engine.maintain() }
            #expect(try engine.usage().items == owners.count)
        }
    }

    @Test("The counters are what the rows say, whatever was done; a verification notices when not, and makes them anew")
    func counters() throws {
        let engine = try TestEngine(in: directory)
        try CircleRecords(engine.engine).enter()
        for account in ["a", "b", "c"] { try add(account, as: account, to: engine) }
        try add("d", as: "a", to: engine)
        try change(.update, "a", value: 3000, as: "b", in: engine)
        try change(.delete, "b", as: "c", in: engine)
        try engine.add("s", "v", more: ["sync": .boolean(true)])
        _ = try engine.perform(try synchronisedDeletion(), from: TestEngine.caller)
        #expect(try engine.wrongCounters() == 0)
        #expect(try engine.usage().items == 4)
        engine.engine.maintain()
        #expect(try engine.wrongCounters() == 0)
        #expect(try engine.usage().items == 4)

        try engine.tamper("UPDATE usage SET items = items + 1, bytes = 5 WHERE ownr = x'00'")
        #expect(try engine.wrongCounters() == 1)
        #expect(try engine.verifyFile().contains("1 counters"))
        #expect(try engine.wrongCounters() == 0)
        #expect(try engine.verifyFile() == "")
    }

    private func synchronisedDeletion() throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.delete)
        try builder.set("class", .string("genp"))
        try builder.set("sync", .boolean(true))
        return try builder.build()
    }
}

extension TestEngine {
    /// Rows and bytes that the store has for everybody.
    func usage() throws -> (items: Int64, bytes: Int64) {
        let database = try database()
        let statement = try database.prepare(UsageCounters.reading, "be counted")
        _ = try statement.step()
        return (statement.integer(0), statement.integer(1))
    }

    private func database() throws -> Database {
        try Database(path: "\(folder)/keychain.db", sharing: engine.store.isShared ? .shared : .exclusive)
    }

    func wrongCounters() throws -> Int64 {
        return try database().integer(UsageCounters.wrongCounters, "") ?? -1
    }

    /// The last page's report about the file.
    func verifyFile() throws(Refusal) -> String {
        let writer = ResponseWriter()
        engine.device(
            .verify(from: VerificationCursor(nil, after: 0)), passcodes: [], from: Self.caller, id: 1, by: .never,
            into: writer)
        let answer = writer.complete()
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return try VerificationPage(from: &reader).report.file
    }
}
