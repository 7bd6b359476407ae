import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import SyncFormat
import SyncService
import SyncTransports
import TestSupport
import Testing

@Suite("Machines that enter a circle by its recovery key, over a folder")
struct CircleRecoveryServiceTests {
    /// A circle of one machine with an item and a recovery key, and its code.
    private static func circle() throws -> (circle: SyncedMachines, code: String) {
        let circle = try SyncedMachines(1)
        try circle.first.keychain.add("of the first", value: "1")
        let status = try circle.first.change(.recoveryKey)
        #expect(status?.machines.filter { $0.flags.contains(.isRecoveryKey) }.count == 1)
        try circle.exchange(2)
        return (circle, circle.first.user.shownCode)
    }

    /// Gives a newcomer all that the folder has, as a carrier does.
    private static func bring(_ newcomer: SyncedMachine, _ circle: SyncedMachines) throws {
        _ = try newcomer.service.answer(.recover(place: circle.folder.path, name: newcomer.name), [])
        for (slot, bytes) in try circle.slots() { #expect(try newcomer.take(bytes, in: slot) == .waits) }
    }

    @Test("With every other machine gone, the code alone brings all items, and nothing is sent before all was read")
    func recovers() throws {
        let (circle, code) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        try newcomer.keychain.add("of the newcomer", value: "2")
        newcomer.user.enter(code)
        try Self.bring(newcomer, circle)
        let status = try #require(try newcomer.change(.recover))
        let entered = try circle.first.status.circle
        #expect(status.circle == entered && status.standing == .waitsToBeAdded)
        #expect(try newcomer.next() == nil)
        try newcomer.pull(circle.transport)
        #expect(try newcomer.keychain.values() == ["of the first": "1", "of the newcomer": "2"])
        let own = try #require(try newcomer.next())
        let batch = try SyncBatch(decoding: own.bytes) { _ in .none }
        guard own.slot.seq == 1, case .add(let addition) = try #require(batch.statements.first) else {
            Issue.record("the first batch has no add: \(batch.statements)")
            return
        }
        #expect(addition.keys == status.keys)
        try newcomer.push(circle.transport)
        #expect(try newcomer.status.standing == .isIn)
        // The other machine turns up again.
        circle.joined(newcomer)
        try circle.exchange()
        #expect(try circle.first.keychain.values() == ["of the first": "1", "of the newcomer": "2"])
        #expect(try circle.first.status.machines.contains { $0.id == own.slot.device && $0.name == "new" })
        try circle.first.keychain.add("later", value: "3")
        try circle.exchange()
        #expect(try newcomer.keychain.values()["later"] == "3")
    }

    @Test("A daemon and an enclave that start again before the first batch state the add all the same")
    func restarts() throws {
        let (circle, code) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        newcomer.user.enter(code)
        try Self.bring(newcomer, circle)
        try newcomer.change(.recover)
        try newcomer.restart()
        circle.joined(newcomer)
        try newcomer.pull(circle.transport)
        try circle.exchange()
        #expect(try newcomer.status.standing == .isIn)
        #expect(try newcomer.keychain.values() == ["of the first": "1"])
    }

    @Test("A wrong code is refused, and neither enclave nor store nor file has anything of the circle")
    func wrongCode() throws {
        let (circle, _) = try Self.circle()
        let (_, other) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        newcomer.user.enter(other)
        try Self.bring(newcomer, circle)
        #expect(refusal { try newcomer.change(.recover) }?.rule == .wrongRecoveryCode)
        #expect(try newcomer.engine.enclave.circle() == nil)
        #expect(refusal { _ = try newcomer.positions }?.rule == .noCircle)
        // It has ended with the command.
        #expect(refusal { try newcomer.change(.recover) }?.rule == .noPairing)
        #expect(try Set(FolderEntries.names(in: newcomer.engine.folder)).isDisjoint(with: ["keychain.circle"]))
    }

    @Test("A recovery that was cut off does not hinder a machine that is added in another way")
    func cutOff() throws {
        let (circle, _) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        try Self.bring(newcomer, circle)
        try circle.add(newcomer)
        try circle.exchange()
        #expect(try newcomer.keychain.values() == ["of the first": "1"])
    }

    @Test("A second key replaces the first with new keys for the circle; both machines show since when it is there")
    func replaces() throws {
        let circle = try SyncedMachines()
        try circle.first.change(.recoveryKey)
        try circle.exchange()
        let before = try Self.keys(circle.second)
        #expect(before.count == 1 && before.allSatisfy { $0.heard > 0 })
        try circle.first.change(.recoveryKey)
        try circle.exchange()
        for machine in circle.machines {
            let keys = try Self.keys(machine)
            #expect(keys.count == 1 && keys.map(\.id) != before.map(\.id) && keys.allSatisfy { $0.heard > 0 })
        }
        try circle.second.keychain.add("after", value: "1")
        try circle.exchange()
        #expect(try circle.first.keychain.values() == ["after": "1"])
    }

    @Test("A reset begins a circle with this machine's items, also where the enclave has lost the one before")
    func resets() throws {
        for isLost in [false, true] {
            let circle = try SyncedMachines()
            try circle.second.keychain.add("kept", value: "1")
            try circle.exchange()
            let (machine, old) = (circle.first, try circle.first.status.circle)
            if isLost { try machine.engine.enclave.leaveCircle(asking: SyncedMachine.question, by: soon) }
            let status = try #require(try machine.change(.reset(place: circle.folder.path, name: "first")))
            #expect(status.circle != old && status.standing == .isIn)
            let transport = FolderTransport(circle.folder.path, circle: status.circle)
            try transport.found()
            try machine.push(transport)
            try machine.pull(transport)
            let newcomer = try SyncedMachine("new")
            let asking = try #require(
                try newcomer.change(.join(status.circle, place: circle.folder.path, name: "new")))
            try machine.change(.add(asking.keys, name: "new"))
            for _ in 0..<3 {
                for one in [machine, newcomer] { try one.push(transport) }
                for one in [machine, newcomer] { try one.pull(transport) }
            }
            for one in [machine, newcomer] { #expect(try one.keychain.values() == ["kept": "1"]) }
            // The other machine is where it was.
            #expect(try circle.second.status.circle == old)
        }
        let nowhere = try SyncedMachine("nowhere")
        #expect(refusal { try nowhere.change(.reset(place: "/mnt", name: "nowhere")) }?.rule == .noCircle)
    }

    private static func keys(_ machine: SyncedMachine) throws -> [SyncStatus.Machine] {
        try machine.status.machines.filter { $0.flags.contains(.isRecoveryKey) && !$0.flags.contains(.isRemoved) }
    }
}
