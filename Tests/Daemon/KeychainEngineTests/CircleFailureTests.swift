import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import SyncFormat
import SyncService
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine

/// Daemons and enclaves that end at any point, and carriers that do not do what they should.
@Suite("Failures of machines and carriers of a circle")
struct CircleFailureTests {
    @Test("A circle that the enclave has entered and the store has not is entered at the next start")
    func entered() throws {
        let machine = try SyncedMachine("first")
        let begun = try machine.engine.enclave.enterCircle(nil, name: "first", asking: SyncedMachine.question, by: soon)
        try machine.restart()
        #expect(try machine.status.circle == begun.circle && machine.status.standing == .isIn)
        // And again where the store has entered it and said nothing.
        try machine.restart()
        let batch = try #require(try machine.next())
        #expect(batch.slot.seq == 1)
        try machine.commit(batch.slot, .done)
        let second = try #require(try machine.next())
        #expect(second.slot.seq == 2)
    }

    @Test("A file of the circle that cannot be read is not taken for a new one, and nothing writes over it")
    func unreadable() throws {
        let circle = try SyncedMachines()
        _ = try circle.first.service.answer(.pause(true), [])
        let path = circle.first.engine.folder + "/keychain.circle"
        let content = try AtomicFile.read(path, limit: 1 << 16)
        for damage in ["circle 2\nplace folder:/\n", ""] {
            try AtomicFile.replace(path, with: Array(damage.utf8).span)
            try circle.first.restart()
            for request in [SyncRequest.status, .positions, .next, .pause(false), .seen(SyncView())] {
                let files = request == .next ? [try PasscodeFile.makeRoom(SyncRequest.roomBytes)] : []
                let status = refusal { _ = try circle.first.service.answer(request, files) }?.status
                #expect(status == .decode, "\(request)")
            }
            #expect(try AtomicFile.read(path, limit: 1 << 16) == Array(damage.utf8))
        }
        try AtomicFile.replace(path, with: content.span)
        #expect(try circle.first.status.isPaused)
    }

    @Test("A machine that was removed is one whose access to the place is to end, for all but itself")
    func dismissed() throws {
        let circle = try SyncedMachines()
        let gone = try circle.second.status.me
        try circle.first.change(.remove(gone, keeping: []))
        try circle.exchange()
        let positions = try circle.first.positions
        #expect(positions.removed == [gone] && positions.members == [positions.me])
        #expect(try circle.second.positions.removed.isEmpty && circle.second.positions.members.isEmpty)
    }

    @Test("An end of daemon and enclave after each step loses and repeats nothing")
    func ended() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        try first.keychain.add("mail", value: "1")
        try first.restart()
        let made = try #require(try first.next())
        try first.restart()
        let again = try #require(try first.next())
        #expect(made.slot == again.slot && made.bytes == again.bytes)
        #expect(try circle.transport.commit(made.bytes, in: made.slot) == .done)
        try first.restart()
        try first.pull(circle.transport)
        try first.restart()
        let third = try #require(try first.next())
        #expect(third.bytes == made.bytes)
        try first.commit(third.slot, try circle.transport.commit(third.bytes, in: third.slot))
        try first.restart()
        try second.pull(circle.transport)
        try second.restart()
        #expect(try second.keychain.values() == ["mail": "1"])
        try second.keychain.update("mail", ["v_Data": .data(Array("2".utf8))])
        try second.restart()
        try circle.exchange()
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["mail": "2"])
            #expect(try machine.status.unsent == 0 && machine.status.standing == .isIn)
            #expect(try machine.status.machines.allSatisfy { $0.flags.isEmpty && $0.quarantined == 0 })
        }
    }

    @Test("An addition that its enclave has forgotten before it was signed is shown, and done again")
    func forgotten() throws {
        let circle = try SyncedMachines()
        let third = try SyncedMachine("third")
        try circle.first.keychain.add("mail", value: "1")
        // A batch is on its way, and what is added has to wait for the next.
        let made = try #require(try circle.first.next())
        try circle.add(third)
        let id = try third.status.me
        #expect(try circle.first.flags(of: id) == [])
        try circle.first.restart()
        try circle.first.commit(made.slot, try circle.transport.commit(made.bytes, in: made.slot))
        try circle.exchange()
        #expect(try circle.first.flags(of: id) == .isUnpublished)
        #expect(try third.status.standing == .waitsToBeAdded)
        #expect(try circle.second.keychain.values() == ["mail": "1"])
        try circle.first.change(.add(try third.status.keys, name: "third"))
        try circle.exchange()
        #expect(try third.keychain.values() == ["mail": "1"])
        #expect(try circle.first.flags(of: id) == [])
    }

    @Test("A copy of a machine stops when it finds the other's batch in its slot, and says so")
    func cloned() throws {
        let circle = try SyncedMachines()
        let (first, copy) = (circle.first, try SyncedMachine(copyOf: circle.first))
        try first.keychain.add("mail", value: "1")
        try copy.keychain.add("of the copy", value: "2")
        try first.push(circle.transport)
        try copy.push(circle.transport)
        #expect(try copy.status.standing == .isDoubled && first.status.standing == .isIn)
        #expect(try copy.next() == nil)
        try copy.restart()
        #expect(try copy.status.standing == .isDoubled)
        #expect(try copy.keychain.values() == ["of the copy": "2"])
        try circle.exchange()
        #expect(try circle.second.keychain.values() == ["mail": "1"])
    }

    @Test("A restored keychain whose log has later batches of its own sends nothing, changes nothing, and says so")
    func restored() throws {
        let circle = try SyncedMachines()
        let restored = try SyncedMachine(copyOf: circle.first)
        try circle.first.keychain.add("later", value: "1")
        try circle.exchange()
        try restored.keychain.add("of the restored one", value: "2")
        try restored.pull(circle.transport)
        #expect(try restored.status.standing == .isDoubled)
        #expect(try restored.next() == nil)
        let second = try circle.second.status.me
        #expect(refusal { try restored.change(.remove(second, keeping: [])) }?.rule == .contradiction)
        #expect(try circle.second.keychain.values() == ["later": "1"])
    }

    @Test("A file of somebody else's in the slot of the next batch is reported, and the batch waits")
    func taken() throws {
        let circle = try SyncedMachines()
        try circle.first.keychain.add("mail", value: "1")
        let made = try #require(try circle.first.next())
        let me = try circle.first.status.me
        for theirs in [nil, [1, 2, 3], try circle.slots()[0].bytes] {
            try circle.first.commit(made.slot, .occupied(theirs))
            #expect(try circle.first.flags(of: me) == .isUnreadable)
            #expect(try circle.first.status.standing == .isIn)
            #expect(try circle.first.next()?.bytes == made.bytes)
        }
        try circle.first.commit(made.slot, .occupied(made.bytes))
        #expect(try circle.first.next() == nil)
    }

    @Test("A file of the circle that cannot be read, or is another one, is not written over before the machine leaves")
    func notes() throws {
        let circle = try SyncedMachines()
        let first = circle.first
        let path = "\(first.engine.folder)/keychain.circle"
        try first.keychain.add("mail", value: "1")
        _ = try first.service.answer(.pause(true), [])
        let place = try first.status.place
        let kept = try AtomicFile.read(path, limit: 1 << 20)
        try first.restart()
        try AtomicFile.remove(path)
        try #require(unsafe mkdir(path, 0o700) == 0)
        #expect(refusal { _ = try first.status }?.status == .io)
        #expect(refusal { _ = try first.service.answer(.pause(false), []) }?.status == .io)
        #expect(refusal { _ = try first.service.answer(.seen(SyncView()), []) }?.status == .io)
        #expect(refusal { _ = try first.next() }?.status == .io)
        try #require(unsafe rmdir(path) == 0)
        try AtomicFile.replace(path, with: kept.span)
        #expect(try first.status.place == place && first.status.isPaused && first.next() == nil)

        try first.restart()
        let later = Array("circle 2\n".utf8)
        try AtomicFile.replace(path, with: later.span)
        #expect(refusal { _ = try first.service.answer(.pause(false), []) }?.status == .decode)
        #expect(try AtomicFile.read(path, limit: 1 << 20) == later)
        _ = try first.change(.leave)
        #expect(try first.keychain.values() == ["mail": "1"])
        // A mark that joins the letter before it.
        let name = "\u{301} first"
        #expect(try first.change(.begin(place: "/place", name: name))?.place == "folder:/place")
        try first.restart()
        #expect(try first.status.machines.map(\.name) == [name])
    }

    @Test("A batch whose signature the carrier has made another that holds too is no batch of a copy")
    func rewritten() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        let me = try first.status.me
        try first.keychain.add("mail", value: "1")
        let made = try #require(try first.next())
        let twin = try Self.twin(of: made.bytes)
        #expect(twin != made.bytes)
        #expect(try first.take(twin, in: made.slot) == .read)
        try first.commit(made.slot, .occupied(twin))
        #expect(try first.next() == nil)
        #expect(try first.status.standing == .isIn && first.flags(of: me) == [])
        for bytes in [twin, made.bytes] { #expect(try second.take(bytes, in: made.slot) == .read) }
        #expect(try second.keychain.values() == ["mail": "1"])
        #expect(try second.flags(of: me) == [])
    }

    /// The bytes of a batch with the signature (r, n - s) in place of (r, s).
    private static func twin(of bytes: [UInt8]) throws -> [UInt8] {
        let signature = try SyncBatch(decoding: bytes, hash: { _ in .none }).signature
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: signature) })
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var (twin, borrow) = (bytes, 0)
        for index in order.indices.reversed() {
            let rest = Int(order[index]) - Int(signature[32 + index]) - borrow
            (twin[place + 32 + index], borrow) = (UInt8(truncatingIfNeeded: rest), rest < 0 ? 1 : 0)
        }
        return twin
    }

    @Test("A carrier that repeats, drops, damages and swaps what it brings changes nothing, and is found out")
    func hostile() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        for number in 0..<3 {
            try first.keychain.add("mail \(number)", value: "\(number)")
            try first.push(circle.transport)
        }
        let new = try circle.slots().filter { $0.slot.seq > (try second.positions.heads[$0.slot.device] ?? 0) }
        #expect(new.count == 3)
        for (slot, bytes) in new {
            for place in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 40)) {
                var damaged = bytes
                damaged[place] ^= 1
                #expect(try second.take(damaged, in: slot) != .read)
            }
            #expect(try second.take(Array(bytes.dropLast()), in: slot) == .refused)
            let other = SyncSlot(circle: slot.circle, device: try second.status.me, seq: slot.seq)
            #expect(try second.take(bytes, in: other) == .refused)
        }
        #expect(try second.keychain.values().isEmpty)
        // The last one first, and the one in between not at all.
        #expect(try second.take(new[2].bytes, in: new[2].slot) == .waits)
        #expect(try second.take(new[0].bytes, in: new[0].slot) == .read)
        #expect(try second.take(new[0].bytes, in: new[0].slot) == .read)
        #expect(try second.keychain.values() == ["mail 0": "0"])
        try second.restart()
        try circle.exchange()
        #expect(try second.keychain.values().count == 3)
        #expect(try second.status.machines.allSatisfy { $0.flags.isEmpty && $0.quarantined == 0 })
    }

    @Test("A machine that its place shows less of than it has read is marked, and nothing is sent meanwhile")
    func rolledBack() throws {
        let circle = try SyncedMachines()
        let first = try circle.first.status.me
        var view = SyncView()
        view.ends = try circle.second.positions.heads
        view.ends[first] = 1
        _ = try circle.second.service.answer(.seen(view), [])
        try circle.second.keychain.add("mail", value: "1")
        #expect(try circle.second.flags(of: first) == .isRolledBack)
        #expect(try circle.second.next() == nil)
        try circle.exchange()
        #expect(try circle.first.keychain.values() == ["mail": "1"])
        #expect(try circle.second.flags(of: first) == [])
    }

    @Test("Why a place does not work is shown, and slots that cannot be read are")
    func problems() throws {
        let circle = try SyncedMachines()
        var view = SyncView()
        view.problem = "there is no folder"
        _ = try circle.first.service.answer(.now, [])
        _ = try circle.first.service.answer(.seen(view), [])
        // Nobody has to wait longer for the look.
        #expect(try !circle.first.positions.isWanted)
        #expect(try circle.first.status.problem == "there is no folder")
        let device = try circle.second.status.me
        view = SyncView()
        view.ends = try circle.first.positions.heads
        view.unreadable = [SyncSlot(circle: try circle.first.status.circle, device: device, seq: 99)]
        _ = try circle.first.service.answer(.seen(view), [])
        #expect(try circle.first.flags(of: device) == .isUnreadable)
        #expect(try circle.first.status.problem.isEmpty)
    }
}
