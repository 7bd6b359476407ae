import KeychainModel
import KeychainWire
import LinuxSystem
import SyncService
import TestSupport
import Testing

@testable import KeychainEngine

@Suite("Why an item goes to other machines, or stays")
struct SyncExplanationTests {
    /// The state of each item, by its account.
    private static func explained(_ machine: SyncedMachine) throws -> [String: ItemSync] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("sync", .string("syna"))
        let buffer = SecretBuffer()
        try builder.build().append(to: buffer)
        let query = AccessRequest.why(program: "", query: buffer.withSpan { $0.array(0, $0.count) })
        guard case .explanation(let found) = try machine.engine.access(query, from: TestEngine.caller) else {
            throw Refusal.malformed("the explanation")
        }
        let said = found.candidates.map { ($0.attributes[.account]?.string ?? "", $0.sync) }
        return Dictionary(uniqueKeysWithValues: said)
    }

    @Test("An item travels, waits, has no circle, or stays for a reason that is said")
    func reasons() throws {
        let circle = try SyncedMachines(1)
        let machine = circle.first
        machine.engine.engine.arrived(TestEngine.caller)
        try machine.keychain.add("mail", value: "1")
        try machine.keychain.add("here", ["pdmn": .string("aku")], value: "2")
        try machine.keychain.add("own", ["sync": .boolean(false)], value: "3")
        var expected: [String: ItemSync] = ["mail": .waits, "here": .isOfThisDevice, "own": .isNotMarked]
        #expect(try Self.explained(machine) == expected)
        try circle.exchange()
        expected["mail"] = .travels
        #expect(try Self.explained(machine) == expected)
        _ = try machine.change(.leave)
        (expected["mail"], expected["own"]) = (.hasNoCircle, .unsaid)
        #expect(try Self.explained(machine) == expected)
    }

    @Test("An item that has arrived for no program of the machine says so, until such a program comes")
    func withoutPrograms() throws {
        let circle = try SyncedMachines(2)
        let other = circle.machines[1]
        try circle.first.keychain.add("mail", value: "1")
        try circle.exchange()
        #expect(try Self.explained(other) == ["mail": .hasNoProgram])
        other.engine.engine.arrived(TestEngine.caller)
        #expect(try Self.explained(other) == ["mail": .travels])
    }
}
