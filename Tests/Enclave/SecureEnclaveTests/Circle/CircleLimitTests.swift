import EnclaveWire
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("Later versions and last numbers in a circle") struct CircleLimitTests {
    /// A header that readers of a later version alone understand.
    private static func later(_ own: SyncHeader) -> SyncHeader {
        SyncHeader(
            circle: own.circle, device: own.device, seq: own.seq, previous: own.previous, generation: own.generation,
            salt: own.salt, least: SyncLimits.version + 1, version: SyncLimits.version + 1)
    }

    @Test("A batch that asks for a later version is refused as one, and nothing that it states counts")
    func laterBatch() throws {
        let circle = try TestCircle(2)
        let (first, second, newcomer) = (circle.machines[0], circle.machines[1], try CircleMachine())
        _ = try newcomer.enter(try first.state.circle)
        let added = try first.add(newcomer)
        let header = try first.header()
        let batch = try first.sign(Self.later(header), added)
        #expect(refusal { try second.take(batch) }?.rule == .laterBatch)
        #expect(try second.state.members.count == 2)
        try second.take(try first.sign(header, added))
        #expect(try second.state.members.count == 3)
    }

    @Test("Where a member has used the numbers of generations up, it alone can be removed, and then any other one")
    func lastNumber() throws {
        let circle = try TestCircle(3)
        let (first, other, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let last = SyncStatement.generation(
            Generation(number: .max, commitment: BatchHash(Randomness.bytes(BatchHash.size)), shares: []))
        try hostile.claim([last])
        let batch = try hostile.publish([last])
        for machine in [first, other] { try machine.take(batch) }
        #expect(refusal { _ = try first.remove(try other.id) }?.rule == .fullCircle)
        #expect(try first.state.members.count == 3)
        for gone in [hostile, other] {
            let statements = try first.remove(try gone.id)
            let numbers = statements.compactMap { if case .generation(let made) = $0 { made.number } else { nil } }
            #expect(numbers == [1])
            try first.publish(statements)
        }
    }
}
