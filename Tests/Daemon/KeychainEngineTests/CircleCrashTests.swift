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

/// Daemons that end, and disks that fail, between two steps of one change.
@Suite("A change of a circle that is cut off is done again, or taken back")
struct CircleCrashTests {
    /// Runs `body` while the file of the circle cannot be written, as on a full disk.
    private static func withoutNotes(_ machine: SyncedMachine, _ body: () throws -> Void) throws {
        let path = machine.engine.folder + "/keychain.circle"
        let made = unsafe rename(path, path + ".away") == 0 && mkdir(path, 0o700) == 0
        guard made else { throw SystemError(code: errno, call: "rename") }
        defer { #expect(unsafe rmdir(path) == 0 && rename(path + ".away", path) == 0) }
        try body()
    }

    @Test("A copy of a machine stops also when the daemon was cut off while it noticed that")
    func noticed() throws {
        let circle = try SyncedMachines()
        let copy = try SyncedMachine(copyOf: circle.first)
        try circle.first.keychain.add("mail", value: "1")
        try circle.first.push(circle.transport)
        try Self.withoutNotes(copy) {
            #expect(refusal { try copy.pull(circle.transport) }?.status == .io)
        }
        try copy.restart()
        try copy.keychain.add("of the copy", value: "2")
        try copy.pull(circle.transport)
        #expect(try copy.status.standing == .isDoubled)
        #expect(try copy.next() == nil)
    }

    @Test("A copy that was made before the circle's first batch stops too")
    func copiedEarly() throws {
        let folder = try TemporaryDirectory()
        let first = try SyncedMachine("first")
        let begun = try #require(try first.change(.begin(place: folder.path, name: "first")))
        let transport = FolderTransport(folder.path, circle: begun.circle)
        try transport.found()
        let copy = try SyncedMachine(copyOf: first)
        try first.push(transport)
        try copy.pull(transport)
        #expect(try copy.status.standing == .isDoubled)
        try first.pull(transport)
        #expect(try first.status.standing == .isIn)
    }

    @Test("A removal that its enclave has made and no batch states is shown, holds up nothing, and is repeated")
    func removed() throws {
        let circle = try SyncedMachines(3)
        let (first, second, gone) = (circle.first, circle.second, circle.machines[2])
        let id = try gone.status.me
        let soon = soon
        _ = try first.engine.enclave.removeMachine(id, keeping: [], asking: SyncedMachine.question, by: soon)
        try first.restart()
        try second.keychain.add("meanwhile", value: "1")
        try second.push(circle.transport)
        try first.pull(circle.transport)
        #expect(try first.keychain.values() == ["meanwhile": "1"])
        #expect(try first.flags(of: id)?.contains(.isUnpublished) == true)
        #expect(try first.next() == nil)
        try first.change(.remove(id, keeping: []))
        try circle.exchange()
        try first.keychain.add("after", value: "2")
        try circle.exchange()
        #expect(try second.keychain.values() == ["meanwhile": "1", "after": "2"])
        #expect(try gone.keychain.values() == ["meanwhile": "1"])
        #expect(try first.flags(of: id) == .isRemoved)
    }

    @Test("Of two circles that are begun at once, that whose user has agreed first has its own place and name")
    func atOnce() throws {
        let machine = try SyncedMachine("first")
        let service = machine.service
        machine.user.meanwhile.withLock {
            $0 = {
                let other = CircleChange.begin(place: "/other", name: "other")
                #expect(throws: Refusal.self) {
                    _ = try service.change(other, asking: SyncedMachine.question, by: .now)
                }
            }
        }
        let status = try machine.change(.begin(place: "/mine", name: "mine"))
        #expect(status?.place == "folder:/mine" && status?.machines.map(\.name) == ["mine"])
    }

    @Test("A store of another circle than its enclave's, and one that was left by half, leaves; one of none does not")
    func leaves() throws {
        let circle = try SyncedMachines()
        let enclave = circle.first.engine.enclave
        try enclave.leaveCircle(asking: SyncedMachine.question, by: soon)
        _ = try enclave.enterCircle(nil, name: "first", asking: SyncedMachine.question, by: soon)
        try circle.first.restart()
        #expect(refusal { _ = try circle.first.status }?.rule == .contradiction)
        #expect(try circle.first.change(.leave) == nil)
        #expect(refusal { try circle.first.change(.leave) }?.rule == .noCircle)
        try circle.second.engine.enclave.leaveCircle(asking: SyncedMachine.question, by: soon)
        try circle.second.restart()
        #expect(try circle.second.change(.leave) == nil)
        #expect(refusal { try circle.second.change(.leave) }?.rule == .noCircle)
    }
}
