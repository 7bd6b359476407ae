import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Shelves that were there before their machine joined a circle.
@Suite("Shelves from before a circle")
struct ShelfAttackTests {
    private let file = FileID()

    private func make(_ name: String = "", on machine: SyncedMachine) throws -> MadeFileKey {
        let binding = KeyBinding(group: "test", accessibility: .whenUnlocked, control: 0)
        let place = ShelfPlace(.complete, binding, name: name)
        guard case .file(.made(let made)) = try machine.engine.key(.file(.make(file, place))) else {
            throw Refusal.malformed("the reply")
        }
        return made
    }

    private func opens(_ made: MadeFileKey, on machine: SyncedMachine) -> Bool {
        let claim = FileKeyClaim(file: file, protection: .complete, slot: made.slot)
        guard case .file(.key(let key))? = try? machine.engine.key(.file(.open(claim))) else { return false }
        return key.isEqual(to: made.key)
    }

    /// Has a machine's shelf as a member in wrong hands may have sent it: it says that it was made at another time.
    private func redate(_ made: MadeFileKey, _ seconds: Int64, on machine: SyncedMachine) throws {
        let found = try machine.engine.engine.shelves.shelf(made.slot.shelf)
        let dated = KnownShelf(shelf: found.shelf, name: found.name, made: seconds)
        try machine.engine.engine.withCircleItems { (items) throws(Refusal) in
            try items.tables.delete(found.shelf.id)
            try items.put(CircleShelf(dated, commitment: []))
        }
    }

    @Test(
        "A shelf that says it was made far ahead or long ago comes to the other machines at once",
        arguments: [Int64.min, 3_000_000_000, .max])
    func dates(seconds: Int64) throws {
        var made: MadeFileKey?
        let circle = try SyncedMachines { machines in
            let one = try make(on: machines[0])
            try redate(one, seconds, on: machines[0])
            made = one
        }
        let one = try #require(made)
        for machine in circle.machines { #expect(opens(one, on: machine)) }
        _ = try circle.second.engine.key(.file(.deleteShelf(one.slot.shelf, everywhere: true)))
        try circle.exchange()
        for machine in circle.machines { #expect(!opens(one, on: machine)) }
    }

    @Test("A machine that joins again loses no shelf by a deletion from before, however late that comes")
    func lateDeletion() throws {
        let circle = try SyncedMachines()
        let (first, second, third) = (circle.first, circle.second, try SyncedMachine("third"))
        let made = try make(on: third)
        try circle.add(third)
        try circle.exchange()
        #expect(opens(made, on: second))
        try third.change(.leave)
        _ = try second.engine.key(.file(.deleteShelf(made.slot.shelf, everywhere: true)))
        try circle.add(third)
        for _ in 0..<3 {
            for machine in [first, third] { try machine.push(circle.transport) }
            for machine in [first, third] { try machine.pull(circle.transport) }
        }
        #expect(try third.status.unsent == 0)
        try circle.exchange()
        for machine in [first, second, third] { #expect(opens(made, on: machine)) }
    }
}
