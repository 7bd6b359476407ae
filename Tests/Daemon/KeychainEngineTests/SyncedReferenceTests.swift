import KeychainModel
import KeychainWire
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
    private static func item(_ reference: [UInt8], _ keychain: WritePathKeychain) throws -> [String?]? {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("v_PersistentRef", .data(reference))
        for flag in ["r_Attributes", "r_Data"] { try builder.set(flag, .boolean(true)) }
        do throws(Refusal) {
            let items = try keychain.engine.read(try builder.build()).items
            #expect(items.count == 1)
            return items.first.map { [$0.attributes[.account]?.string, $0.attributes[.valueData]?.string] }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
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
}
