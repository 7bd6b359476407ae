import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine

/// A program keeps a persistent reference and finds its item by nothing else.
@Suite("Persistent references in a circle")
struct SyncedReferenceTests {
    private static func reference(_ account: String, _ keychain: WritePathKeychain) throws -> [UInt8] {
        var builder = ItemRequestBuilder(.copyMatching)
        for (key, value) in ["class": RawValue.string("genp"), "acct": .string(account)] { try builder.set(key, value) }
        for flag in ["r_PersistentRef", "sync"] { try builder.set(flag, .boolean(true)) }
        let item = try #require(try keychain.engine.read(try builder.build()).items.first)
        guard case .data(let bytes)? = item.attributes[.persistentReference] else { throw Refusal.malformed("it") }
        return bytes
    }

    /// Account and value of the item that a reference names; nil if it names none.
    private static func item(
        _ reference: [UInt8], _ keychain: WritePathKeychain, as caller: CallerIdentity = TestEngine.caller
    ) throws -> [String?]? {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("v_PersistentRef", .data(reference))
        for flag in ["r_Attributes", "r_Data"] { try builder.set(flag, .boolean(true)) }
        do throws(Refusal) {
            let items = try keychain.engine.perform(try builder.build(), from: caller).items
            #expect(items.count == 1)
            return items.first.map { [$0.attributes[.account]?.string, $0.attributes[.valueData]?.string] }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }

    /// Machines on the second of which a program has a reference to an item, which the first one had made.
    private static func circle(_ count: Int = 2) throws -> (SyncedMachines, [UInt8]) {
        let circle = try SyncedMachines(count)
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        return (circle, try reference("mail", circle.second.keychain))
    }

    private static func rename(_ old: String, _ new: String, on machine: SyncedMachine) throws {
        try machine.keychain.update(old, ["acct": .string(new)])
    }

    private static func value(_ text: String) -> [String: RawValue] { ["v_Data": .data(Array(text.utf8))] }

    @Test("A program's reference finds its item after other machines have changed and renamed it, until it is deleted")
    func references() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first.keychain, circle.second)
        try first.add("mail", value: "1")
        try circle.exchange()
        let reference = try Self.reference("mail", second.keychain)
        try first.update("mail", Self.value("2"))
        try circle.exchange()
        #expect(try Self.item(reference, second.keychain) == ["mail", "2"])
        try first.update("mail", ["acct": .string("post")])
        try circle.exchange()
        #expect(try Self.item(reference, second.keychain) == ["post", "2"])
        try second.restart()
        #expect(try Self.item(reference, second.keychain) == ["post", "2"])
        try first.delete("post")
        try circle.exchange()
        #expect(try Self.item(reference, second.keychain) == nil)
    }

    @Test("The references of both machines find the later one of two changes of one item")
    func conflict() throws {
        let circle = try SyncedMachines()
        let keychains = circle.machines.map(\.keychain)
        try keychains[0].add("mail", value: "old")
        try circle.exchange()
        let references = try keychains.map { try Self.reference("mail", $0) }
        try keychains[0].update("mail", Self.value("earlier"))
        try keychains[1].update("mail", Self.value("later"))
        try circle.exchange()
        for (keychain, reference) in zip(keychains, references) {
            #expect(try Self.item(reference, keychain) == ["mail", "later"])
        }
    }

    // MARK: - Several renames

    @Test("An item that was renamed several times before others hear of it is found, under the last of its names")
    func several() throws {
        let (circle, reference) = try Self.circle()
        for (old, new) in [("mail", "post"), ("post", "letters"), ("letters", "mailbox")] {
            try Self.rename(old, new, on: circle.first)
            try circle.first.restart()
        }
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["mailbox", "1"])
    }

    @Test("An item that got its old name back is found, whether others have heard of the other name or not")
    func backAgain() throws {
        let (circle, reference) = try Self.circle()
        for isHeard in [false, true] {
            try Self.rename("mail", "post", on: circle.first)
            if isHeard { try circle.exchange() }
            try Self.rename("post", "mail", on: circle.first)
            try circle.exchange()
            #expect(try Self.item(reference, circle.second.keychain) == ["mail", "1"])
        }
    }

    @Test("An item that is renamed again while the batch of its first renaming is on its way is found")
    func onItsWay() throws {
        let (circle, reference) = try Self.circle()
        // There was an item of that name, which others know as deleted.
        try circle.first.keychain.add("post", value: "another")
        try circle.exchange()
        try circle.first.keychain.delete("post")
        try circle.exchange()
        try Self.rename("mail", "post", on: circle.first)
        let sending = try #require(try circle.first.next())
        try circle.first.keychain.update("post", Self.value("2"))
        try Self.rename("post", "letters", on: circle.first)
        try circle.first.restart()
        let again = try #require(try circle.first.next())
        #expect(again.slot == sending.slot && again.bytes == sending.bytes)
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["letters", "2"])
    }

    @Test("A machine that was locked meanwhile finds an item by its reference when it is unlocked again")
    func locked() throws {
        let (circle, reference) = try Self.circle()
        try circle.second.lock()
        for (old, new) in [("mail", "post"), ("post", "letters")] {
            try Self.rename(old, new, on: circle.first)
            try circle.exchange()
        }
        try circle.second.unlock()
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["letters", "1"])
    }

    @Test("No reference follows an item into another group, where other programs read what is written through it")
    func moved() throws {
        let (circle, reference) = try Self.circle()
        let own = try Self.reference("mail", circle.first.keychain)
        try circle.first.keychain.move(GroupMove(from: "test", to: "new"))
        try circle.exchange()
        let keychains = circle.machines.map(\.keychain)
        let counts = try keychains.map { try $0.count("SELECT count(*) FROM genp WHERE tomb = 0") }
        #expect(counts == [1, 1])
        #expect(try Self.item(own, keychains[0], as: WritePathKeychain.both) == ["mail", "1"])
        #expect(try Self.item(reference, keychains[1], as: WritePathKeychain.both) == nil)
    }

    @Test("Until the renamed item has come, its reference finds nothing, and no other item")
    func tombstonesFirst() throws {
        let circle = try SyncedMachines()
        // Too much for one batch, which has the tombstones of all.
        let names = ["a", "b", "c", "d"]
        for name in names {
            try circle.first.keychain.add(name, value: String(repeating: name, count: 1 << 20))
        }
        try circle.exchange()
        let references = try names.map { try Self.reference($0, circle.second.keychain) }
        for name in names { try Self.rename(name, "renamed \(name)", on: circle.first) }
        let (slot, bytes) = try #require(try circle.first.next())
        try circle.first.commit(slot, try circle.transport.commit(bytes, in: slot))
        try circle.second.pull(circle.transport)
        let found = try references.map { try Self.item($0, circle.second.keychain)?[0] }
        #expect(found.contains(nil))
        for (name, account) in zip(names, found) { #expect(account == nil || account == "renamed \(name)") }
        try circle.exchange()
        let accounts = try references.map { try Self.item($0, circle.second.keychain)?[0] }
        #expect(accounts == names.map { "renamed \($0)" })
    }

    // MARK: - Other changes meanwhile

    @Test("Of a renaming and a later change of the item both are kept, and a reference finds what its machine had made")
    func changedMeanwhile() throws {
        let (circle, reference) = try Self.circle()
        let own = try Self.reference("mail", circle.first.keychain)
        try Self.rename("mail", "post", on: circle.first)
        try circle.second.keychain.update("mail", Self.value("later"))
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["mail", "later"])
        #expect(try Self.item(own, circle.first.keychain) == ["post", "1"])
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["mail": "later", "post": "1"])
        }
    }

    @Test("An item that was changed before it was renamed elsewhere is found, and what was changed is in the history")
    func changedBefore() throws {
        let (circle, reference) = try Self.circle()
        try circle.second.keychain.update("mail", Self.value("earlier"))
        try Self.rename("mail", "post", on: circle.first)
        let versions = try circle.second.keychain.versions() ?? 0
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["post", "1"])
        #expect(try circle.second.keychain.versions() == versions + 1)
    }

    @Test("Of an item that two machines rename differently a third one's reference finds one, and theirs their own")
    func twoNames() throws {
        let (circle, own) = try Self.circle(3)
        let keychains = circle.machines.map(\.keychain)
        let references = [try Self.reference("mail", keychains[0]), own, try Self.reference("mail", keychains[2])]
        try Self.rename("mail", "post", on: circle.first)
        try Self.rename("mail", "letters", on: circle.second)
        try circle.exchange()
        #expect(try Self.item(references[0], keychains[0]) == ["post", "1"])
        #expect(try Self.item(references[1], keychains[1]) == ["letters", "1"])
        let found = try Self.item(references[2], keychains[2])?[0]
        #expect(found == "post" || found == "letters")
        for keychain in keychains {
            #expect(try keychain.values() == ["letters": "1", "post": "1"])
            #expect(try keychain.engine.verify().damage.isEmpty)
        }
    }

    @Test("A reference follows its item through each name that others hear of")
    func chain() throws {
        let (circle, reference) = try Self.circle()
        for (old, new) in [("mail", "post"), ("post", "letters"), ("letters", "mailbox")] {
            try Self.rename(old, new, on: circle.first)
            try circle.exchange()
            #expect(try Self.item(reference, circle.second.keychain) == [new, "1"])
        }
    }

    @Test("An item that one machine renames and another deletes is there under its new name, and is found")
    func deletedMeanwhile() throws {
        let (circle, reference) = try Self.circle()
        try Self.rename("mail", "post", on: circle.first)
        try circle.second.keychain.delete("mail")
        try circle.exchange()
        #expect(try Self.item(reference, circle.second.keychain) == ["post", "1"])
    }

    @Test("An item that was renamed and then deleted is found no more, and neither is another one of its last name")
    func deletedAfterwards() throws {
        let (circle, reference) = try Self.circle()
        try Self.rename("mail", "post", on: circle.first)
        try circle.first.keychain.delete("post")
        try circle.first.keychain.add("post", value: "another")
        try circle.exchange()
        #expect(try circle.second.keychain.values() == ["post": "another"])
        #expect(try Self.item(reference, circle.second.keychain) == nil)
    }

    @Test("A machine that reads of a later change before it reads of the renaming finds the item")
    func outOfOrder() throws {
        let (circle, _) = try Self.circle(3)
        let third = circle.machines[2]
        let reference = try Self.reference("mail", third.keychain)
        try Self.rename("mail", "post", on: circle.first)
        try circle.first.push(circle.transport)
        try circle.second.pull(circle.transport)
        try circle.second.keychain.update("post", Self.value("2"))
        try circle.second.push(circle.transport)
        let author = try circle.second.status.me
        for (slot, bytes) in try circle.slots() where slot.device == author { _ = try third.take(bytes, in: slot) }
        #expect(try third.keychain.values() == ["mail": "1", "post": "2"])
        try circle.exchange()
        #expect(try Self.item(reference, third.keychain) == ["post", "2"])
    }

    // MARK: - What travels

    @Test("The record of a renamed item is the same bytes on both machines each time")
    func sameBytes() throws {
        let circle = try TwoKeychains()
        let (first, second) = (circle.first, circle.second)
        try first.keychain.add("mail", value: "1")
        try circle.exchange()
        try first.keychain.update("mail", ["acct": .string("post")])
        try circle.exchange()
        let bodies = try [first, second, first].map { machine in
            try machine.member.perform { replica, _ in
                _ = replica.rows.loadAll()
                return replica.rows.all.mapValues { row in row.record.withBody { $0.array(0, $0.count) } }
            }
        }
        #expect(bodies[0] == bodies[1] && bodies[0] == bodies[2] && bodies[0].count == 2)
        #expect(!bodies[0].values.contains([]))
        // To give a name away is no change, which the other machine would have to hear of.
        for machine in [first, second] { #expect(try machine.keychain.circle.marks().isEmpty) }
        // A later change says no more of it.
        try second.keychain.update("post", Self.value("2"))
        let previous = try second.member.perform { replica, _ in
            _ = replica.rows.loadAll()
            return replica.rows.all.values.compactMap(\.record.previous)
        }
        #expect(previous.isEmpty)
    }
}
