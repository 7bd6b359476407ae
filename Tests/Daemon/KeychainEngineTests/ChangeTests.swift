import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("Which items have changed") struct ChangeTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
    }

    private func changes(after number: UInt64, in engine: TestEngine? = nil) throws -> ChangePage {
        guard case .changes(let page) = try (engine ?? self.engine).access(.changes(after: number)) else {
            throw Refusal.malformed("the answer")
        }
        return page
    }

    private func write(_ operation: ItemRequest.Operation, _ account: String) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        if operation == .update { try builder.change("labl", .string("new")) }
        _ = try engine.write(try builder.build())
    }

    private func reference(of account: String) throws -> PersistentReference {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("acct", .string(account))
        try builder.set("r_PersistentRef", .boolean(true))
        let item = try #require(try engine.read(try builder.build()).items.first)
        guard case .data(let bytes)? = item.attributes[.persistentReference] else { throw Refusal.malformed("it") }
        return try #require(PersistentReference(bytes))
    }

    @Test("An item that is added, changed and deleted is named each time, and once in a page")
    func named() throws {
        var next = try changes(after: .max).next
        try engine.add("a", "1")
        let name = try reference(of: "a")
        for step in [{}, { try write(.update, "a") }, { try write(.delete, "a") }] {
            try step()
            let page = try changes(after: next)
            #expect(page.state == .whole && page.items == [name])
            next = page.next
            #expect(try changes(after: next) == ChangePage(next: next))
        }
        try engine.add("b", "1")
        try write(.update, "b")
        #expect(try changes(after: next).items.count == 1)
    }

    @Test("What was refused or undone is not named, and what was written beside it is")
    func refused() throws {
        try engine.add("a", "1")
        let next = try changes(after: .max).next
        #expect(refusal { try engine.add("a", "2") }?.status == .duplicateItem)
        #expect(try changes(after: next) == ChangePage(next: next))
        #expect(try engine.addTogether(["x", "x", "y"]) == [0, KeychainStatus.duplicateItem.rawValue, 0])
        let named = Set(try changes(after: next).items)
        #expect(named == [try reference(of: "x"), try reference(of: "y")])
    }

    @Test("Who has missed too much, or comes from another daemon, reads everything again")
    func lost() throws {
        let start = try changes(after: .max).next
        for number in 0...2 * ChangeLog.capacity / 64 {
            _ = try engine.addTogether((0..<64).map { "\(number) \($0)" })
        }
        #expect(try changes(after: start).state == .lost)
        let now = try changes(after: .max).next
        #expect(try changes(after: now - UInt64(ChangeLog.capacity)).items.count == ChangeLog.capacity)
        for foreign in [0, 1, start - 1, now + 1] { #expect(try changes(after: foreign).state == .lost) }
    }

    @Test("Where other processes write to the store too, the page says so")
    func shared() throws {
        let other = try TemporaryDirectory()
        let engine = try TestEngine(in: other)
        #expect(try changes(after: .max, in: engine).state == .shared)
    }

    @Test("Only the keychain's own command and root ask, and of anchored programs nobody hears")
    func callers() throws {
        let program = CallerIdentity(user: 1, process: 1, program: "/bin/a", groups: ["a"])
        #expect(refusal { _ = try engine.access(.changes(after: .max), from: program) }?.rule == .inspection)
        let next = try changes(after: .max).next
        let anchored = CallerIdentity(user: 1, process: 2, program: "firm", isAnchored: true, groups: ["firm"])
        let writes = try [anchored, TestEngine.caller].map { caller in
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string("genp"))
            try builder.set("acct", .string("theirs"))
            return PendingWrite(try builder.build(), from: caller, id: 1, by: .never)
        }
        engine.engine.write(writes)
        #expect(writes.map { $0.writer.complete().status } == [0, 0])
        #expect(try changes(after: next).items == [try reference(of: "theirs")])
    }
}
