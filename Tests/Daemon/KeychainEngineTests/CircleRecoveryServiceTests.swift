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
        // It waits for the next batch, and nothing has to be repeated.
        #expect(status?.machines.filter { $0.flags == .isRecoveryKey }.count == 1)
        try circle.exchange(2)
        return (circle, circle.first.user.shownCode)
    }

    /// Gives a newcomer all that the folder has, as a carrier does.
    private static func bring(_ newcomer: SyncedMachine, _ circle: SyncedMachines) throws {
        _ = try newcomer.service.answer(.recover(place: circle.folder.path, name: newcomer.name), [])
        // A circle that was left behind goes on meanwhile.
        let isLeft = (try? newcomer.positions) != nil
        for (slot, bytes) in try circle.slots() {
            let verdict = try newcomer.take(bytes, in: slot)
            #expect(verdict == .waits || isLeft)
        }
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

    @Test("A batch that is missing at the place keeps nobody from what is before it")
    func hole() throws {
        let (circle, code) = try Self.circle()
        for number in 0..<3 {
            try circle.first.keychain.add("item \(number)", value: "\(number)")
            try circle.first.push(circle.transport)
        }
        let last = try #require(circle.slots().map(\.slot).max { $0.seq < $1.seq })
        try circle.transport.discard([SyncSlot(circle: last.circle, device: last.device, seq: last.seq - 1)])
        let newcomer = try SyncedMachine("new")
        newcomer.user.enter(code)
        try Self.bring(newcomer, circle)
        try newcomer.change(.recover)
        try newcomer.pull(circle.transport)
        #expect(try newcomer.keychain.values() == ["of the first": "1", "item 0": "0"])
        try newcomer.push(circle.transport)
        #expect(try newcomer.status.standing == .isIn)
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
        // Nor one that waits to be added.
        let waiting = try SyncedMachine("waiting")
        try circle.add(waiting)
        try Self.bring(waiting, circle)
        try circle.exchange()
        #expect(try waiting.keychain.values() == ["of the first": "1"])
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

    @Test("A machine that has entered by a key which was replaced is in for those who read of the replacement first")
    func readsReplacementFirst() throws {
        let (circle, code) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        try Self.enter(newcomer, circle, code)
        circle.joined(newcomer)
        try newcomer.keychain.add("of the newcomer", value: "2")
        try circle.exchange()
        try circle.first.change(.recoveryKey)
        try circle.exchange()
        let late = try SyncedMachine("late")
        try circle.add(late)
        try circle.first.push(circle.transport)
        let (slots, first) = (try circle.slots(), try circle.first.positions.me)
        for isOfFirst in [true, false] {
            for (slot, bytes) in slots where (slot.device == first) == isOfFirst { _ = try late.take(bytes, in: slot) }
        }
        try circle.exchange()
        #expect(try late.keychain.values() == ["of the first": "1", "of the newcomer": "2"])
        #expect(try late.flags(of: try newcomer.positions.me)?.isEmpty == true)
    }

    @Test("A code that was replaced brings in nobody: nothing that its finder writes is taken")
    func stolenCode() throws {
        let (circle, code) = try Self.circle()
        let thief = try SyncedMachine("thief")
        try Self.enter(thief, circle, code)
        try thief.keychain.add("forged", value: "2")
        try circle.first.change(.recoveryKey)
        try circle.exchange()
        try thief.push(circle.transport)
        let late = try SyncedMachine("late")
        try circle.add(late)
        try circle.exchange()
        try late.keychain.add("later", value: "3")
        try circle.exchange()
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["of the first": "1", "later": "3"])
            let own = try thief.positions.me
            #expect(try machine.status.machines.allSatisfy { $0.id != own || $0.flags.contains(.isRemoved) })
        }
    }

    /// Enters by a code, and reads all that the folder has.
    private static func enter(_ newcomer: SyncedMachine, _ circle: SyncedMachines, _ code: String) throws {
        newcomer.user.enter(code)
        try bring(newcomer, circle)
        try newcomer.change(.recover)
        try newcomer.pull(circle.transport)
    }

    @Test("An enclave that has entered while its daemon was ended sends nothing, and enters by the same command again")
    func entersAgain() throws {
        let (circle, code) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        newcomer.user.enter(code)
        try Self.bring(newcomer, circle)
        _ = try newcomer.engine.enclave.recoverCircle(name: "new", asking: SyncedMachine.question, by: soon)
        try newcomer.restart()
        #expect(try newcomer.status.standing == .waitsToBeAdded)
        #expect(try newcomer.next() == nil)
        try Self.enter(newcomer, circle, code)
        circle.joined(newcomer)
        try circle.exchange()
        #expect(try newcomer.status.standing == .isIn)
        #expect(try newcomer.keychain.values() == ["of the first": "1"])
    }

    @Test("A recovery or a pairing that was begun before the machine had a circle does not leave that one")
    func leavesNoOther() throws {
        let (circle, code) = try Self.circle()
        for change in [CircleChange.recover, .pair] {
            let newcomer = try SyncedMachine("new")
            newcomer.user.enter(code)
            try Self.bring(newcomer, circle)
            _ = try newcomer.service.answer(.seek(place: circle.folder.path, name: "new"), [])
            let begun = try newcomer.change(.begin(place: "/mnt", name: "new"))
            #expect(refusal { try newcomer.change(change) }?.rule == .contradiction)
            #expect(try newcomer.status.circle == begun?.circle)
        }
    }

    @Test("A look at the place of another circle is not taken for one at its own") func otherPlace() throws {
        let (circle, code) = try Self.circle()
        let newcomer = try SyncedMachine("new")
        newcomer.user.enter(code)
        try Self.bring(newcomer, circle)
        try newcomer.change(.recover)
        var view = SyncView()
        for ends in [[:], [MemberID(number: 7): 3]] as [[MemberID: UInt64]] {
            view.ends = ends
            _ = try newcomer.service.answer(.seen(view), [])
            #expect(try newcomer.next() == nil)
        }
        try newcomer.pull(circle.transport)
        #expect(try newcomer.next() != nil)
    }

    @Test("A key whose making was cut off after the enclave's part is made again, and the one before serves no more")
    func makesAgain() throws {
        let (circle, code) = try Self.circle()
        let second = try SyncedMachine("second")
        try circle.add(second)
        try circle.exchange()
        _ = try circle.first.engine.enclave.makeRecoveryKey(asking: SyncedMachine.question, by: soon)
        try circle.first.restart()
        try circle.first.change(.recoveryKey)
        try circle.exchange()
        for machine in circle.machines { #expect(try Self.keys(machine).count == 1) }
        try second.keychain.add("after", value: "2")
        try circle.exchange()
        #expect(try circle.first.keychain.values() == ["of the first": "1", "after": "2"])
        let finder = try SyncedMachine("finder")
        finder.user.enter(code)
        try Self.bring(finder, circle)
        #expect(refusal { try finder.change(.recover) }?.problem.contains("replaced") == true)
    }

    @Test("A reset that was cut off after the enclave's part is repeated") func resetsAgain() throws {
        let circle = try SyncedMachines()
        try circle.second.keychain.add("kept", value: "1")
        try circle.exchange()
        _ = try circle.first.engine.enclave.resetCircle(name: "first", asking: SyncedMachine.question, by: soon)
        try circle.first.restart()
        #expect(refusal { _ = try circle.first.status }?.rule == .contradiction)
        let status = try circle.first.change(.reset(place: circle.folder.path, name: "first"))
        let transport = FolderTransport(circle.folder.path, circle: try #require(status).circle)
        try transport.found()
        try circle.first.push(transport)
        #expect(try circle.first.keychain.values() == ["kept": "1"])
        #expect(try circle.first.status.unsent == 0)
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
