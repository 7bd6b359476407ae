import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncService
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine
@testable import SecureEnclave

/// Evidence reaches not everyone, so that each machine repeats what follows from it. No user asks for that.
@Suite("Machines that have seen a member contradict itself, with their enclaves")
struct ContradictionServiceTests {
    private let circle: SyncedMachines
    private var others: [SyncedMachine] { Array(circle.machines.prefix(3)) }
    private var hostile: SyncedMachine { circle.machines[3] }

    init() throws { circle = try SyncedMachines(4) }

    /// A batch that does not follow the last one of its author's log.
    private func contradiction() throws -> (slot: SyncSlot, bytes: [UInt8]) {
        let its = try hostile.status.me
        let last = try #require(circle.slots().map(\.slot).filter { $0.device == its }.map(\.seq).max())
        return try hostile.signed([], seq: last + 1, after: BatchHash([1]))
    }

    private func exchange() throws {
        for _ in 0..<3 {
            for machine in others { try machine.push(circle.transport) }
            for machine in others { try machine.pull(circle.transport) }
        }
    }

    @Test("They go on when they have removed it, and say of each other that it was one that contradicts itself")
    func goOn() throws {
        try hostile.keychain.add("its", value: "0")
        try circle.exchange()
        let (slot, bytes) = try contradiction()
        #expect(try circle.transport.commit(bytes, in: slot) == .done)
        try exchange()
        #expect(try circle.first.status.machines.contains { $0.id == slot.device && $0.flags.contains(.isForked) })
        try circle.first.change(.remove(slot.device, keeping: []))
        try exchange()
        for (number, machine) in others.enumerated() { try machine.keychain.add("item \(number)", value: "\(number)") }
        try exchange()
        for machine in others { #expect(try machine.keychain.values().count == 4) }
    }

    /// One machine alone reads a branch in which another is out. Its batches have keys that are stated there, and it
    /// shares them with those who are in for it.
    @Test("They share keys of a generation that one branch alone states with each member that asks for them")
    func keysOfOneBranch() throws {
        let (first, reader, asker) = (others[0], others[1], others[2])
        let twin = try SyncedMachine(copyOf: hostile)
        try twin.change(.remove(try asker.status.me, keeping: []))
        let branch = try #require(try twin.next())
        #expect(try reader.take(branch.bytes, in: branch.slot) == .read)
        try hostile.keychain.add("its", value: "0")
        try hostile.push(circle.transport)
        try reader.pull(circle.transport)
        try reader.keychain.add("of the reader", value: "1")
        try reader.push(circle.transport)
        for machine in [first, asker] {
            try machine.pull(circle.transport)
            #expect(try machine.keychain.values() == ["its": "0"])
        }
        try exchange()
        for machine in [first, asker] { #expect(try machine.keychain.values()["of the reader"] == "1") }
    }
}
