import KeychainModel
import KeychainWire
import SyncFormat
import TestSupport
import Testing

@testable import KeychainEngine

/// An item that another machine has deleted comes back where its user misses it.
@Suite("Deletions by other machines")
struct RemoteDeletionTests {
    private static func circle() throws -> TwoKeychains {
        let circle = try TwoKeychains()
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        return circle
    }

    private static func value(_ text: String) -> [String: RawValue] { ["v_Data": .data(Array(text.utf8))] }

    /// How the versions of a keychain have ended, 1 for a change and 2 for a deletion, and who has ended them.
    private static func ends(_ keychain: WritePathKeychain) throws -> [String] {
        try keychain.column("SELECT CAST(event || ' ' || hex(substr(lost, 1, 16)) AS BLOB) FROM history ORDER BY id")
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("An item that another machine has deleted is found among the deleted ones, and comes back on both")
    func comesBack() throws {
        let circle = try Self.circle()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try second.delete("mail")
        try circle.exchange()
        let deleter = circle.second.keys.id.text.uppercased()
        #expect(try first.values().isEmpty && Self.ends(first) == ["2 \(deleter)"])
        try first.restore("mail")
        try circle.exchange()
        for keychain in [first, second] { #expect(try keychain.values() == ["mail": "1"]) }
    }

    @Test("An item that another machine has renamed was changed, and is not among the deleted ones")
    func renamed() throws {
        let circle = try Self.circle()
        let first = circle.first.keychain
        try circle.second.keychain.update("mail", ["acct": .string("post")])
        try circle.exchange()
        #expect(try Self.ends(first) == ["1 \(circle.second.keys.id.text.uppercased())"])
        #expect(refusal { try first.restore("mail") }?.status == .itemNotFound)
        #expect(try first.values() == ["post": "1"])
    }

    @Test("A change that has lost to a deletion comes back by undeleting it, and is lost no more on either machine")
    func conflict() throws {
        let circle = try Self.circle()
        let (first, second) = (circle.first.keychain, circle.second.keychain)
        try first.update("mail", Self.value("2"))
        try second.delete("mail")
        try circle.exchange()
        try first.restore("mail")
        try circle.exchange()
        for keychain in [first, second] {
            #expect(try keychain.values() == ["mail": "2"])
            #expect(try keychain.count("SELECT count(*) FROM history WHERE length(lost) > 24") == 0)
        }
    }

    @Test("A machine that reads of a deletion before it reads of the item finds it among the deleted ones")
    func outOfOrder() throws {
        let circle = try SyncedMachines(3)
        let third = circle.machines[2]
        try circle.first.keychain.add("mail", value: "1")
        try circle.first.push(circle.transport)
        try circle.second.pull(circle.transport)
        try circle.second.keychain.delete("mail")
        try circle.second.push(circle.transport)
        let author = try circle.second.status.me
        for (slot, bytes) in try circle.slots() where slot.device == author { _ = try third.take(bytes, in: slot) }
        try circle.exchange()
        #expect(try third.keychain.values().isEmpty)
        #expect(try Self.ends(third.keychain) == ["2 \(author.text.uppercased())"])
    }
}
