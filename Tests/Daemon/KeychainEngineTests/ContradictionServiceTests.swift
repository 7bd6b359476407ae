import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
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

    /// One machine alone has read a branch in which another is out. Its batches have keys that are stated there, and it
    /// shares them with those who are in for it.
    private func share(without asker: SyncedMachine) throws {
        let (first, reader) = (others[0], others[1])
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
        #expect(try first.keychain.values()["of the reader"] == "1")
    }

    @Test("Keys that one branch alone states reach all that ask, once the machine is out that has shared them")
    func keysOfOneBranch() throws {
        let (first, reader, asker) = (others[0], others[1], others[2])
        try share(without: asker)
        try exchange()
        #expect(try asker.keychain.values() == ["its": "0"])
        try first.change(.remove(try reader.status.me, keeping: []))
        for _ in 0..<3 {
            for machine in [first, asker] { try machine.push(circle.transport) }
            for machine in [first, asker] { try machine.pull(circle.transport) }
        }
        #expect(try asker.keychain.values()["of the reader"] == "1")
    }

    @Test("A machine that has not read of a removal shares no keys that were made after it, and are asked for")
    func keysOfLaterRemoval() throws {
        let (first, reader, removed, behind) = (others[0], others[1], others[2], hostile)
        try first.change(.remove(try removed.status.me, keeping: []))
        try first.push(circle.transport)
        try reader.keychain.add("of the reader", value: "1")
        for _ in 0..<3 {
            try reader.pull(circle.transport)
            try reader.push(circle.transport)
            // The place withholds the removal from these.
            for machine in [removed, behind] {
                for (slot, bytes) in try circle.slots() where slot.device != (try first.status.me) {
                    _ = try machine.take(bytes, in: slot)
                }
                try machine.push(circle.transport)
            }
        }
        #expect(try behind.keychain.values() == ["of the reader": "1"] && removed.keychain.values().isEmpty)
        let its = try behind.status.me
        let batches = try circle.slots().filter { $0.slot.device == its }
            .map { try SyncBatch(decoding: $0.bytes) { (try? BatchHash(sha256: $0.span)) ?? .none } }
        #expect(batches.flatMap(\.statements).compactMap(\.madeKeys).flatMap(\.shares).isEmpty)
    }
}
