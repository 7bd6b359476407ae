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
        let (status, nothing) = (try hostile.status, [UInt8]())
        let last = try #require(circle.slots().map(\.slot).filter { $0.device == status.me }.map(\.seq).max())
        let header = SyncHeader(
            circle: status.circle, device: status.me, seq: last + 1, previous: BatchHash([1]), generation: .none,
            salt: BatchHash(Randomness.bytes(BatchHash.size)))
        let hash = try BatchHash(sha256: nothing.span)
        let batch = try SyncBatch(header, [], sealed: [], sealedHash: hash) { signed in
            let head = Array(signed.dropFirst(SyncBatch.domain.count).dropLast(BatchHash.size))
            return try hostile.engine.enclave.signBatch(head: head, sealedHash: hash)
        }
        return (batch.slot, try #require(batch.bytes))
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
}
