import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A program's history says of a version that it has lost to another machine's change.
@Suite("Changes that have lost to those of other machines")
struct ConflictTests {
    private typealias Machine = TwoKeychains.Machine

    /// A version that has lost, as it is shown.
    private struct Lost {
        let number: Int64
        let account: String?
        let winner: [UInt8]
        let lost: LostVersion.Conflict
        let reference: [UInt8]
    }

    private static func request(
        _ operation: ItemRequest.Operation, _ change: (inout ItemRequestBuilder) throws -> Void
    ) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try change(&builder)
        return try builder.build()
    }

    private static func lost(
        _ keychain: WritePathKeychain, as caller: CallerIdentity = TestEngine.caller
    ) throws -> [Lost] {
        let request = try request(.history) { builder in
            for (key, value) in ["class": "genp", "sync": "syna", "m_Limit": "m_LimitAll"] {
                try builder.set(key, .string(value))
            }
            for flag in ["r_Attributes", "r_PersistentRef"] { try builder.set(flag, .boolean(true)) }
        }
        let items: [ItemResponse.Item]
        do throws(Refusal) { items = try keychain.engine.perform(request, from: caller).items } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
        return items.compactMap { item in
            guard case .data(let bytes)? = item.attributes[.lostVersion],
                case .data(let reference)? = item.attributes[.persistentReference],
                let lost = LostVersion(Array(bytes.dropFirst(8))), let conflict = lost.conflict
            else { return nil }
            let number = bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
            return Lost(
                number: number, account: item.attributes[.account]?.string, winner: lost.winner, lost: conflict,
                reference: reference)
        }
    }

    private static func restore(
        _ number: Int64, _ reference: [UInt8], on keychain: WritePathKeychain,
        as caller: CallerIdentity = TestEngine.caller
    ) throws {
        let request = try request(.restore) { builder in
            try builder.set("v_PersistentRef", .data(reference))
            builder.restore(lost: number)
        }
        _ = try keychain.engine.perform(request, from: caller)
    }

    private static func value(_ text: String) -> [String: RawValue] { ["v_Data": .data(Array(text.utf8))] }

    /// Two machines that have an item in common.
    private static func circle() throws -> TwoKeychains {
        let circle = try TwoKeychains()
        try circle.first.keychain.add("mail", value: "old")
        try circle.exchange()
        return circle
    }

    /// The same, which both have then changed; the second one's change has won.
    private static func conflict() throws -> TwoKeychains {
        let circle = try circle()
        try circle.first.keychain.update("mail", value("earlier"))
        try circle.second.keychain.update("mail", value("later"))
        try circle.exchange()
        return circle
    }

    // MARK: - What is listed

    @Test("Both machines show the change that has lost, who has written it, and which one has won")
    func shown() throws {
        let circle = try Self.conflict()
        for machine in [circle.first, circle.second] {
            let lost = try Self.lost(machine.keychain)
            #expect(lost.map(\.account) == ["mail"])
            #expect(lost.map(\.lost.loser) == [circle.first.keys.id.bytes])
            #expect(lost.map(\.winner) == [circle.second.keys.id.bytes])
            let stamps = try machine.keychain.count("SELECT max(hlc) FROM syncrow").map { [UInt64($0)] }
            #expect(lost.map(\.lost.won) == stamps)
            #expect(try machine.keychain.engine.verify().damage.isEmpty)
        }
    }

    @Test("A change that nobody else has read is shown where it was made")
    func unpublished() throws {
        let circle = try Self.circle()
        try circle.second.keychain.update("mail", Self.value("earlier"))
        try circle.first.keychain.update("mail", Self.value("later"))
        try circle.publish(circle.first)
        try circle.pull(circle.second)
        #expect(try Self.lost(circle.second.keychain).map(\.lost.loser) == [circle.second.keys.id.bytes])
        try circle.exchange()
        #expect(try Self.lost(circle.first.keychain).isEmpty)
    }

    @Test("Two items of one name from before the circle, of which one has lost, are a conflict")
    func joined() throws {
        let circle = try TwoKeychains { first, second in
            try first.add("mail", value: "earlier")
            try first.addTogether(["the same"])
            try second.add("mail", value: "later")
            try second.addTogether(["the same"])
        }
        let lost = try [circle.first, circle.second].flatMap { try Self.lost($0.keychain) }
        #expect(!lost.isEmpty && lost.allSatisfy { $0.account == "mail" })
    }

    @Test("Changes that follow one another on different machines are none, whatever lies between")
    func turns() throws {
        let circle = try Self.circle()
        for number in 0..<3 {
            for machine in [circle.first, circle.second] {
                try machine.keychain.update("mail", Self.value("\(number)"))
                try machine.keychain.update("mail", Self.value("\(number) again"))
                try circle.exchange()
            }
        }
        for machine in [circle.first, circle.second] {
            #expect(try machine.keychain.versions() ?? 0 >= 6)
            #expect(try Self.lost(machine.keychain).isEmpty)
        }
    }

    @Test("A version that comes after the one that was made from it is none")
    func outOfOrder() throws {
        let circle = try SyncedMachines(3)
        let third = circle.machines[2]
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        try circle.first.keychain.update("mail", Self.value("2"))
        try circle.first.push(circle.transport)
        try circle.second.restart()
        try circle.second.pull(circle.transport)
        try circle.second.keychain.update("mail", Self.value("3"))
        try circle.second.push(circle.transport)
        let author = try circle.second.status.me
        for (slot, bytes) in try circle.slots() where slot.device == author { _ = try third.take(bytes, in: slot) }
        #expect(try third.keychain.values() == ["mail": "3"])
        try circle.exchange()
        #expect(try third.keychain.versions() == 2)
        for machine in circle.machines { #expect(try Self.lost(machine.keychain).isEmpty) }
    }

    @Test("Daemons that have ended meanwhile know what a change was made from")
    func restarted() throws {
        let circle = try SyncedMachines()
        let keychains = { circle.machines.map(\.keychain) }
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        try circle.first.keychain.update("mail", Self.value("2"))
        try circle.first.restart()
        try circle.exchange()
        #expect(try keychains().flatMap { try Self.lost($0) }.isEmpty)
        try circle.first.keychain.update("mail", Self.value("3"))
        try circle.second.keychain.update("mail", Self.value("4"))
        for machine in circle.machines { try machine.restart() }
        try circle.exchange()
        #expect(try keychains().map { try Self.lost($0).count } == [1, 1])
    }

    @Test("Two machines that have made the same of an item have lost nothing")
    func same() throws {
        let circle = try Self.circle()
        for machine in [circle.first, circle.second] { try machine.keychain.update("mail", Self.value("new")) }
        try circle.exchange()
        for machine in [circle.first, circle.second] { #expect(try Self.lost(machine.keychain).isEmpty) }
    }

    @Test("Who may not read an item hears nothing of its lost versions, and restores none")
    func stranger() throws {
        let circle = try Self.conflict()
        let (keychain, stranger) = (
            circle.first.keychain, CallerIdentity(user: 0, process: 1, program: "other", groups: ["OTHER.app"])
        )
        let lost = try #require(try Self.lost(keychain).first)
        #expect(try Self.lost(keychain, as: stranger).isEmpty)
        let refused = refusal { try Self.restore(lost.number, lost.reference, on: keychain, as: stranger) }
        #expect(refused?.status == .itemNotFound)
        #expect(try keychain.values() == ["mail": "later"])
    }

    @Test("A version that says itself that it has lost is damaged")
    func forged() throws {
        let keychain = try Self.conflict().first.keychain
        let database = try Database(path: "\(keychain.engine.folder)/keychain.db", sharing: .shared)
        for change in ["lost = NULL WHERE lost IS NOT NULL", "lost = zeroblob(24)", "lost = zeroblob(56)"] {
            try database.execute("UPDATE history SET \(change)", "be changed")
            #expect(try Self.lost(keychain).isEmpty)
            #expect(try keychain.engine.verifyFile().contains("earlier versions of items"))
        }
    }

    // MARK: - Restoring

    @Test("A lost version that is restored is the item on both machines, and what it was is in the history")
    func restored() throws {
        let circle = try Self.conflict()
        let first = circle.first.keychain
        let lost = try #require(try Self.lost(first).first)
        let versions = try first.versions()
        try Self.restore(lost.number, lost.reference, on: first)
        #expect(try first.values() == ["mail": "earlier"])
        #expect(try first.circle.marks().count == 1)
        // The one that was restored has gone, and the one before is there in its place.
        #expect(try first.versions() == versions && Self.lost(first).isEmpty)
        try circle.exchange()
        for machine in [circle.first, circle.second] {
            #expect(try machine.keychain.values() == ["mail": "earlier"])
            #expect(try machine.keychain.circle.marks().isEmpty)
        }
        // To restore it was no change that knew nothing of the others, and it is lost on none of them.
        #expect(try Self.lost(circle.second.keychain).isEmpty)
        #expect(try circle.second.keychain.engine.verify().damage.isEmpty)
    }

    @Test("A conflict goes on all machines when one restores the change, and not for another change")
    func restoredElsewhere() throws {
        for restorer in [0, 1, 2] {
            let circle = try SyncedMachines(3)
            let keychains = circle.machines.map(\.keychain)
            try keychains[0].add("mail", value: "old")
            try circle.exchange()
            try keychains[0].update("mail", Self.value("earlier"))
            try keychains[1].update("mail", Self.value("later"))
            try circle.exchange()
            try keychains[restorer].update("mail", Self.value("another"))
            try circle.exchange()
            #expect(try keychains.map { try Self.lost($0).count } == [1, 1, 1])
            try circle.machines[restorer].restart()
            try circle.machines[restorer].keychain.update("mail", Self.value("earlier"))
            try circle.exchange()
            let others = [0, 1, 2].filter { $0 != restorer }
            #expect(try others.map { try Self.lost(keychains[$0]).count } == [0, 0])
            for keychain in circle.machines.map(\.keychain) { #expect(try keychain.engine.verify().damage.isEmpty) }
        }
    }

    // MARK: - Versions that are not here

    /// Has the change that a machine is about to publish name a version that it was made from.
    private static func claim(_ base: UInt64, on machine: Machine) throws {
        let database = try Database(path: "\(machine.keychain.engine.folder)/keychain.db", sharing: .shared)
        try database.execute("UPDATE syncrow SET base = \(base) WHERE dirty = 1", "be changed")
    }

    @Test("A change is lost to one that names a version that nobody has, however late", arguments: [0, 1, 2])
    func claimed(_ order: Int) throws {
        let circle = try Self.circle()
        try circle.first.keychain.update("mail", Self.value("earlier"))
        try circle.second.keychain.update("mail", Self.value("later"))
        let stamp = try #require(try circle.second.keychain.count("SELECT max(hlc) FROM syncrow"))
        try Self.claim(UInt64(stamp) + [0, 1, 1 << 60][order], on: circle.second)
        try circle.exchange()
        for machine in [circle.first, circle.second] {
            #expect(try Self.lost(machine.keychain).map(\.lost.loser) == [circle.first.keys.id.bytes])
        }
    }

    @Test("A machine that has read all of several changes in turn, in whatever order, has no conflict")
    func between() throws {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let circle = try SyncedMachines(4)
            let (authors, reader) = (Array(circle.machines[0..<3]), circle.machines[3])
            for (number, machine) in authors.enumerated() {
                if number == 0 { try machine.keychain.add("mail", value: "0") }
                if number > 0 { try machine.keychain.update("mail", Self.value("\(number)")) }
                try machine.push(circle.transport)
                for other in authors { try other.pull(circle.transport) }
            }
            for author in order {
                let id = try authors[author].status.me
                for (slot, bytes) in try circle.slots() where slot.device == id { _ = try reader.take(bytes, in: slot) }
            }
            #expect(try reader.keychain.values() == ["mail": "2"])
            #expect(try Self.lost(reader.keychain).isEmpty, "\(order)")
            #expect(try reader.keychain.engine.verify().damage.isEmpty)
        }
    }

    @Test("A change that a later one was made from is lost no more, though that one is lost itself")
    func successor() throws {
        let circle = try Self.circle()
        try circle.first.keychain.update("mail", Self.value("earlier"))
        try circle.publish(circle.first)
        try circle.second.keychain.update("mail", Self.value("later"))
        try circle.pull(circle.second)
        #expect(try Self.lost(circle.second.keychain).count == 1)
        try circle.first.keychain.update("mail", Self.value("earlier, again"))
        let stamp = try #require(try circle.first.keychain.count("SELECT max(hlc) FROM syncrow"))
        try circle.second.keychain.update("mail", Self.value("last"))
        try circle.exchange()
        for machine in [circle.first, circle.second] {
            #expect(try Self.lost(machine.keychain).map(\.lost.stamp) == [UInt64(stamp)])
        }
    }

    @Test("A change that has lost to a deletion brings the item back, under the same reference")
    func deleted() throws {
        let circle = try Self.circle()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.update("mail", Self.value("earlier"))
        try second.delete("mail")
        try circle.exchange()
        #expect(try first.values().isEmpty && second.values().isEmpty)
        let names = try first.column("SELECT uuid FROM genp")
        for keychain in [first, second] { #expect(try Self.lost(keychain).map(\.account) == ["mail"]) }
        let lost = try #require(try Self.lost(first).first)
        try Self.restore(lost.number, lost.reference, on: first)
        #expect(try first.column("SELECT uuid FROM genp WHERE tomb = 0") == names)
        try circle.exchange()
        for keychain in [first, second] {
            #expect(try keychain.values() == ["mail": "earlier"])
            #expect(try keychain.engine.verify().damage.isEmpty)
        }
    }

    @Test("A number of a version has no place in another change, and is nothing but a number")
    func misplaced() throws {
        let circle = try Self.conflict()
        let keychain = circle.first.keychain
        let lost = try #require(try Self.lost(keychain).first)
        let (number, text) = (AttributeValue.number(lost.number), AttributeValue.string(String(lost.number)))
        for (operation, value) in [(ItemRequest.Operation.update, number), (.restore, text), (.restore, .data([1]))] {
            var request = try Self.request(operation) { try $0.set("v_PersistentRef", .data(lost.reference)) }
            let buffer = SecretBuffer(capacity: 64)
            buffer.append(.lostVersion, value)
            request.changes = try AttributeList(parsing: buffer.finish())
            let made = request
            let refused = refusal { _ = try keychain.engine.perform(made, from: TestEngine.caller) }
            #expect(refused?.status == .param && refused?.rule == .malformedFrame)
        }
        #expect(try keychain.values() == ["mail": "later"])
    }

    @Test("No number restores a version that has not lost, or that of another item")
    func otherNumbers() throws {
        let circle = try Self.conflict()
        let keychain = circle.second.keychain
        let lost = try #require(try Self.lost(keychain).first)
        try keychain.add("web", value: "1")
        let numbers = try keychain.count("SELECT max(id) FROM history") ?? 0
        for number in -1...numbers + 1 where number != lost.number {
            #expect(refusal { try Self.restore(number, lost.reference, on: keychain) }?.status == .itemNotFound)
        }
        #expect(try keychain.values() == ["mail": "later", "web": "1"])
    }

    @Test("A keychain with a passcode restores a lost version in its user's presence alone")
    func presence() throws {
        let circle = try SyncedMachines()
        let first = circle.first
        try first.keychain.add("mail", value: "old")
        try circle.exchange()
        try first.keychain.update("mail", Self.value("earlier"))
        try circle.second.keychain.update("mail", Self.value("later"))
        try circle.exchange()
        let lost = try #require(try Self.lost(first.keychain).first)
        #expect(refusal { try Self.restore(lost.number, lost.reference, on: first.keychain) } != nil)
        #expect(try first.keychain.values() == ["mail": "later"])
        let request = try Self.request(.restore) { builder in
            try builder.set("v_PersistentRef", .data(lost.reference))
            builder.restore(lost: lost.number)
        }
        let writer = ResponseWriter()
        first.engine.engine.authentication(
            .perform(.item(request), context: nil, prompt: Prompt()), password: nil, from: TestEngine.caller,
            PromptCancellation(), id: 1, by: .never, into: writer)
        #expect(writer.complete().status == 0)
        #expect(try first.keychain.values() == ["mail": "earlier"])
    }
}
