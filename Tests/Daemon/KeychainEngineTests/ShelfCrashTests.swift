import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Daemons that end between two steps while shelves come, as after `kill -9`: all that is left is on the disk.
@Suite("Shelves that come to a machine that ends in between")
struct ShelfCrashTests {
    private static let count = 6
    private let file = FileID()

    private func make(_ number: Int, in engine: TestEngine) throws -> MadeFileKey {
        let binding = KeyBinding(group: "test", accessibility: .whenUnlocked, control: 0)
        let place = ShelfPlace(.complete, binding, name: "shelf \(number)")
        guard case .file(.made(let made)) = try engine.key(.file(.make(file, place))) else {
            throw Refusal.malformed("the reply")
        }
        return made
    }

    private func opens(_ made: MadeFileKey, in engine: TestEngine) -> Bool {
        let claim = FileKeyClaim(file: file, protection: .complete, slot: made.slot)
        guard case .file(.key(let key))? = try? engine.key(.file(.open(claim))) else { return false }
        return key.isEqual(to: made.key)
    }

    /// Shelves of a machine, each in a batch of its own.
    private func publish(_ count: Int = count, by machine: SyncedMachine, _ place: FolderTransport) throws
        -> [MadeFileKey]
    {
        try (0..<count).map { number in
            let made = try make(number, in: machine.engine)
            try machine.push(place)
            return made
        }
    }

    /// Gives a machine all that the place has, and ends it after each batch.
    private func giveEach(_ circle: SyncedMachines, to machine: SyncedMachine) throws {
        for (slot, bytes) in try circle.slots() {
            _ = try machine.take(bytes, in: slot)
            try machine.restart()
        }
    }

    @Test("A member that ends after each batch has all shelves, and so have the others what it made meanwhile")
    func batches() throws {
        let circle = try SyncedMachines()
        let made = try publish(by: circle.first, circle.transport)
        let own = try make(0, in: circle.second.engine)
        try giveEach(circle, to: circle.second)
        try circle.exchange()
        #expect(made.allSatisfy { opens($0, in: circle.second.engine) } && opens(own, in: circle.first.engine))
        #expect(try circle.second.engine.verify().damage.isEmpty && circle.second.status.unsent == 0)
    }

    @Test("A newcomer that ends after each batch of the place has all shelves, its own among them")
    func joining() throws {
        let (circle, newcomer) = (try SyncedMachines(), try SyncedMachine("newcomer"))
        let made = try publish(by: circle.first, circle.transport)
        let own = try make(0, in: newcomer.engine)
        try circle.add(newcomer)
        try circle.first.push(circle.transport)
        try giveEach(circle, to: newcomer)
        try circle.exchange()
        #expect(made.allSatisfy { opens($0, in: newcomer.engine) } && opens(own, in: newcomer.engine))
        #expect(circle.machines.allSatisfy { opens(own, in: $0.engine) })
        #expect(try newcomer.engine.verify().damage.isEmpty && newcomer.status.unsent == 0)
    }

    @Test("A newcomer that ends before and after the parts of a snapshot has all shelves of it")
    func snapshots() throws {
        let circle = try SyncedMachines(snapshotAfter: 8)
        let made = try publish(12, by: circle.first, circle.transport)
        try circle.exchange(6)
        let me = try circle.first.status.me
        #expect(try circle.slots().map(\.slot).filter { $0.device == me }.map(\.seq).min() ?? 0 > 8)
        let newcomer = try SyncedMachine("newcomer", snapshotAfter: 8)
        let own = try make(0, in: newcomer.engine)
        try circle.add(newcomer)
        try circle.first.push(circle.transport)
        try newcomer.pull(circle.transport) { folder, slot in
            try newcomer.restart()
            return try folder.read(slot)
        }
        try newcomer.restart()
        try circle.exchange(6)
        #expect((made + [own]).allSatisfy { made in circle.machines.allSatisfy { opens(made, in: $0.engine) } })
        #expect(try newcomer.engine.verify().damage.isEmpty)
    }

    @Test("A restore that ends after any of its parts is done again, and has all items and shelves once")
    func restores() throws {
        let directories = try (0..<6).map { _ in try TemporaryDirectory() }
        let engine = try TestEngine(in: directories[5])
        let made = try (0..<Self.count).map { try make($0, in: engine) }
        try engine.add("mail", "value")
        let backup = try engine.backUp()
        #expect(backup.parts.count == 5)
        for (last, directory) in directories.prefix(5).enumerated() {
            try restore(backup, upTo: last, in: try TestEngine(in: directory))
            let again = try TestEngine(in: directory)
            let outcomes = try again.restoreAll(backup).map(\.outcome)
            #expect(outcomes.count == Self.count + 1 && outcomes.allSatisfy { $0 == .added || $0 == .same })
            #expect(made.allSatisfy { opens($0, in: again) })
            #expect(try again.values() == ["mail": "value"])
            #expect(try again.engine.shelves.records(after: nil).count == Self.count)
        }
    }

    /// Looks at a whole backup, and takes some of its parts.
    private func restore(_ backup: TestBackup, upTo last: Int, in engine: TestEngine) throws {
        let contents = try engine.open(backup)
        _ = try engine.take(backup, contents.ticket, applies: false)
        for index in 0...last {
            let box = backup.parts[index]
            _ = try engine.ask(.take(ticket: contents.ticket, applies: true, index: UInt32(index), box: box))
        }
    }
}
