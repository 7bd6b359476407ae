import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncService
import TestSupport
import Testing

@testable import KeychainEngine
@testable import SecureEnclave

/// A member in wrong hands writes batches that never have their turn; others look for keys there.
@Suite("Keys that are sought in batches of a machine in wrong hands") struct CircleSeekTests {
    private static func stranger() throws -> MemberKeys {
        func point() throws -> [UInt8] { try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).publicKey.external() }
        return MemberKeys(signing: try point(), agreement: try point())
    }

    /// A batch far behind the end of a machine's log, with statements that its enclave never made.
    private static func farAhead(
        _ statements: [SyncStatement], by hostile: SyncedMachine
    ) throws -> (slot: SyncSlot, bytes: [UInt8]) {
        try hostile.signed(statements, seq: 1_000, after: BatchHash([1]))
    }

    @Test("They are taken from a batch whose turn never comes, and nobody that it adds or removes is in or out by it")
    func keysAlone() throws {
        let circle = try SyncedMachines(3)
        let (first, hostile, honest) = (circle.first, circle.second, circle.machines[2])
        try first.keychain.add("before", value: "1")
        try hostile.keychain.add("its", value: "0")
        try circle.exchange()
        let newcomer = try SyncedMachine("newcomer")
        try circle.add(newcomer)
        try first.push(circle.transport)
        try hostile.pull(circle.transport)
        let current = try #require(try hostile.engine.enclave.circle()?.held.keys.first)
        let share = try hostile.engine.enclave.shareGeneration(current, with: [try newcomer.status.me])
        let accomplices = try (0..<60).map { _ in SyncStatement.add(Addition(try Self.stranger())) }
        let removal = SyncStatement.remove(try honest.status.me, .user, kept: [])
        let trap = try Self.farAhead([share, removal] + accomplices, by: hostile)
        // The newcomer has the keys of nobody else.
        let (me, logs) = (try newcomer.status.me, [try first.status.me, try hostile.status.me])
        for (slot, bytes) in try circle.slots() where logs.contains(slot.device) {
            let batch = try SyncBatch(decoding: bytes) { (try? BatchHash(sha256: $0.span)) ?? .none }
            let shares = batch.statements.compactMap(\.madeKeys).flatMap(\.shares)
            if !shares.contains(where: { $0.recipient == me }) { _ = try newcomer.take(bytes, in: slot) }
        }
        _ = try newcomer.take(trap.bytes, in: trap.slot)
        try newcomer.saw(circle.transport)
        #expect(try newcomer.keychain.values() == ["before": "1", "its": "0"])
        try circle.exchange()
        let state = try #require(try newcomer.engine.enclave.circle())
        #expect(state.members.count == 4 && state.members.allSatisfy(\.isIn))
        #expect(try newcomer.status.machines.count == 4)
        // It goes on, for all that are in.
        try newcomer.keychain.add("after", value: "2")
        try circle.exchange()
        for machine in circle.machines {
            #expect(try machine.keychain.values() == ["before": "1", "its": "0", "after": "2"])
        }
    }

    @Test("One that has written nothing but a batch far ahead keeps no newcomer out")
    func withoutBeginning() throws {
        let circle = try SyncedMachines(2)
        let (first, hostile) = (circle.first, circle.second)
        try first.keychain.add("before", value: "1")
        try circle.exchange()
        let newcomer = try SyncedMachine("newcomer")
        try circle.add(newcomer)
        let trap = try Self.farAhead([.remove(try first.status.me, .user, kept: [])], by: hostile)
        _ = try newcomer.take(trap.bytes, in: trap.slot)
        try circle.exchange()
        #expect(try newcomer.status.standing == .isIn)
        #expect(try newcomer.keychain.values() == ["before": "1"])
    }

    @Test("Machines that it adds before and after are the same ones to the keychain and to its enclave")
    func order() throws {
        let circle = try SyncedMachines()
        let (first, hostile) = (circle.first, circle.second)
        let newcomer = try SyncedMachine("newcomer")
        try circle.add(newcomer)
        try first.push(circle.transport)
        try hostile.pull(circle.transport)
        let current = try #require(try hostile.engine.enclave.circle()?.held.keys.first)
        let share = try hostile.engine.enclave.shareGeneration(current, with: [try newcomer.status.me])
        let accomplices = try (1..<SyncLimits.statements).map { _ in
            SyncStatement.add(Addition(try Self.stranger()))
        }
        let trap = try Self.farAhead([share] + accomplices, by: hostile)
        let own = try first.status.me
        for (slot, bytes) in try circle.slots() where slot.device == own && slot.seq < 3 {
            _ = try newcomer.take(bytes, in: slot)
        }
        for (slot, bytes) in try circle.slots() where slot.device == own && slot.seq == 3 {
            _ = try newcomer.take(trap.bytes, in: trap.slot)
            _ = try newcomer.take(bytes, in: slot)
        }
        // It has room for as many as it really adds.
        for number in 0..<2 {
            let other = try SyncedMachine("other \(number)")
            let status = try #require(
                try other.change(.join(try first.status.circle, place: circle.folder.path, name: other.name)))
            try hostile.change(.add(status.keys, name: other.name))
            circle.joined(other)
            try circle.exchange()
        }
        #expect(try newcomer.status.standing == .isIn)
        for machine in circle.machines { #expect(try machine.status.machines.count == 5) }
    }
}
