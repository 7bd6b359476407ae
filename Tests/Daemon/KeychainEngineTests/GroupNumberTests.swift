import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("The numbers of access groups") struct GroupNumberTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let both = CallerIdentity(user: 1, process: 1, program: "both", groups: ["one", "two"])
    private static let one = CallerIdentity(user: 1, process: 2, program: "one", groups: ["one"])

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
    }

    private func number(
        of group: String, from caller: CallerIdentity = both, in engine: TestEngine? = nil
    ) throws -> UInt64 {
        let watch = GroupWatch([GroupNumber(group: group)])
        let numbers = try (engine ?? self.engine).engine.numbers(of: watch, for: caller)
        #expect(numbers.map(\.group) == [group])
        return try #require(numbers.first).number
    }

    private func write(
        _ operation: ItemRequest.Operation, _ account: String, in group: String, changes: [String: RawValue] = [:]
    ) throws -> Int32 {
        var builder = ItemRequestBuilder(operation)
        let query: [String: RawValue] = ["class": .string("genp"), "acct": .string(account), "agrp": .string(group)]
        for (key, value) in query { try builder.set(key, value) }
        for (key, value) in changes { try builder.change(key, value) }
        let write = PendingWrite(try builder.build(), from: Self.both, id: 1, by: .never)
        engine.engine.write([write])
        return write.writer.complete().status
    }

    @Test("An item that is added, changed and deleted gives its group another number each time, and no other group")
    func own() throws {
        var (seen, other) = (try number(of: "one"), try number(of: "two"))
        #expect(other == seen && seen < 1 << 63 && seen > 0)
        let steps: [(ItemRequest.Operation, [String: RawValue])] = [
            (.add, [:]), (.update, ["labl": .string("new")]), (.delete, [:]),
        ]
        for (operation, changes) in steps {
            #expect(try write(operation, "a", in: "one", changes: changes) == 0)
            let now = try number(of: "one")
            #expect(now != seen)
            seen = now
        }
        #expect(try write(.add, "b", in: "two") == 0)
        #expect(try number(of: "two") == other + 1, "the number says how often others write")
        #expect(try number(of: "one") == seen)
        other = try number(of: "two")
        #expect(try write(.add, "b", in: "two") == KeychainStatus.duplicateItem.rawValue)
        #expect(try number(of: "two") == other, "what was refused is told")
    }

    @Test("An item that is moved gives the group that it leaves another number, and the one that it comes to")
    func moved() throws {
        #expect(try write(.add, "a", in: "one") == 0)
        let before = (try number(of: "one"), try number(of: "two"))
        #expect(try write(.update, "a", in: "one", changes: ["agrp": .string("two")]) == 0)
        #expect(try number(of: "one") != before.0)
        #expect(try number(of: "two") != before.1)
    }

    @Test("A program asks for its own groups alone; without a name it gets all of them, and without groups a refusal")
    func rights() throws {
        #expect(refusal { _ = try number(of: "two", from: Self.one) }?.rule == .foreignGroup)
        let named = GroupWatch(["one", "two"].map { GroupNumber(group: $0) })
        #expect(refusal { _ = try engine.engine.numbers(of: named, for: Self.one) }?.rule == .foreignGroup)
        // Its list of all items does not name a group's changes to the keychain's own command.
        #expect(refusal { _ = try number(of: "two", from: TestEngine.command) }?.rule == .foreignGroup)
        #expect(try engine.engine.numbers(of: GroupWatch([]), for: Self.both).map(\.group) == ["one", "two"])
        let none = CallerIdentity(user: 1, process: 3, program: "none", groups: [])
        #expect(refusal { _ = try engine.engine.numbers(of: GroupWatch([]), for: none) }?.rule == .noGroups)
    }

    @Test("Who has every group hears of each change under the name of all")
    func all() throws {
        let everything = CallerIdentity(user: 0, process: 1, program: "root", groups: ["*"])
        let before = try number(of: "*", from: everything)
        #expect(try write(.add, "a", in: "one") == 0)
        #expect(try number(of: "*", from: everything) != before)
        #expect(refusal { _ = try number(of: "*", from: Self.both) }?.rule == .foreignGroup)
    }

    @Test("What happens while the keychain is locked is told, and an engine that was started again has other numbers")
    func lockedAndRestarted() throws {
        let before = try number(of: "one")
        _ = try engine.device(.setPasscode, "1234")
        try engine.enclave.lock()
        #expect(try write(.add, "a", in: "one") == KeychainStatus.interactionNotAllowed.rawValue)
        #expect(try number(of: "one") == before)
        // Items that are always open can be added.
        var builder = ItemRequestBuilder(.add)
        for (key, value) in ["class": "genp", "acct": "b", "agrp": "one", "pdmn": "dk"] {
            try builder.set(key, .string(value))
        }
        let add = PendingWrite(try builder.build(), from: Self.both, id: 1, by: .never)
        engine.engine.write([add])
        #expect(add.writer.complete().status == 0)
        #expect(try number(of: "one") != before)
        let folder = try TemporaryDirectory()
        let other = try TestEngine(in: folder, exclusive: true)
        #expect(try number(of: "one", in: other) != number(of: "one"))
    }

    @Test("Two engines over one store: what the other writes gives each group another number, what one writes its own")
    func shared() throws {
        let folder = try TemporaryDirectory()
        let (mine, other) = (try TestEngine(in: folder), try TestEngine(in: folder))
        let test = TestEngine.caller
        let before = try number(of: "test", from: test, in: mine)
        #expect(try number(of: "test", from: test, in: mine) == before)
        try other.add("a", "1")
        let after = try number(of: "test", from: test, in: mine)
        #expect(after != before)
        try mine.add("b", "1")
        #expect(try number(of: "test", from: test, in: mine) == after + 1)
    }

    @Test("What another machine has written gives the group another number, and another group none")
    func synchronised() throws {
        let circle = try SyncedMachines()
        let test = CallerIdentity(user: 0, process: 0, program: "test", groups: ["test", "new"])
        let second = circle.second.engine
        let before = (try number(of: "test", from: test, in: second), try number(of: "new", from: test, in: second))
        try circle.exchange()
        #expect(try number(of: "test", from: test, in: second) == before.0, "what changes no item is told")
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        #expect(try circle.second.keychain.values() == ["mail": "1"])
        let after = try number(of: "test", from: test, in: second)
        #expect(after != before.0)
        #expect(try number(of: "new", from: test, in: second) == before.1)
        try circle.first.keychain.delete("mail")
        try circle.exchange()
        #expect(try number(of: "test", from: test, in: second) != after)
    }

    @Test("A backup that is restored gives the groups of its items other numbers")
    func restored() throws {
        let folder = try TemporaryDirectory()
        let elsewhere = try TestEngine(in: folder)
        try elsewhere.add("a", "1")
        let backup = try elsewhere.backUp()
        let before = (try number(of: "test", from: TestEngine.caller), try number(of: "one"))
        _ = try engine.restoreAll(backup)
        #expect(try engine.values() == ["a": "1"])
        #expect(try number(of: "test", from: TestEngine.caller) != before.0)
        #expect(try number(of: "one") == before.1)
    }

    @Test("So many groups that they are not counted any more all get another number")
    func many() {
        let numbers = GroupNumbers()
        let before = numbers.number(of: [0, 0, 0, 1])
        let groups = (0...1 << 16).map { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        numbers.raise(Set(groups))
        #expect(numbers.number(of: [9, 9, 9, 9]) != before && numbers.number(of: groups[0]) != before + 1)
        #expect(numbers.number(of: groups[0]) == numbers.number(of: [9, 9, 9, 9]))
    }
}
