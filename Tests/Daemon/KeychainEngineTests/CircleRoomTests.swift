import EnclaveWire
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine
@testable import SecureEnclave

/// A member in wrong hands adds machines, and these add more, until the others' enclaves have no room.
@Suite("Vaults that a member in wrong hands has filled") struct CircleRoomTests {
    /// A member without an enclave, which signs what it likes.
    private final class HostileMember {
        let keys: CircleTestKeys
        private let circle: CircleID
        private let transport: FolderTransport
        private var (seq, previous): (UInt64, BatchHash) = (0, .none)

        init(_ circle: CircleID, _ transport: FolderTransport) throws {
            (keys, self.circle, self.transport) = (try CircleTestKeys(), circle, transport)
        }

        func publish(_ statements: [SyncStatement]) throws {
            seq += 1
            let header = SyncHeader(
                circle: circle, device: keys.id, seq: seq, previous: previous, generation: .none,
                salt: keys.makeSalt())
            let batch = SyncBatch(header, statements, sealed: [], sealedHash: keys.hash([]), sign: keys.sign)
            previous = keys.hash(batch.signed)
            _ = try transport.commit(try #require(batch.bytes), in: batch.slot)
        }
    }

    /// Adds machines that nobody has.
    private static func additions(_ count: Int) -> [SyncStatement] {
        (0..<count).map { _ in
            let point = [4] + Randomness.bytes(64)
            return .add(Addition(MemberKeys(signing: point, agreement: point)))
        }
    }

    @Test("They have room after its removal, and its machine goes on after a restart")
    func restart() throws {
        let circle = try SyncedMachines(1)
        let (first, name) = (circle.first, try circle.first.status.circle)
        let members = try (0..<7).map { _ in try HostileMember(name, circle.transport) }
        let hostile = members[0]
        try first.change(.add(hostile.keys.own, name: "hostile"))
        try circle.exchange(1)
        try hostile.publish(members.dropFirst().map { .add(Addition($0.keys.own)) } + Self.additions(54))
        for member in members[1...5] { try member.publish(Self.additions(35)) }
        try circle.exchange(1)
        // One fills what is left, another one states something afterwards.
        for _ in 0..<20 { try members[5].publish(Self.additions(1)) }
        try circle.exchange(1)
        #expect(try first.positions.heads[members[5].keys.id] ?? 0 < 21)
        try members[6].publish([.want(GenerationID([UInt8](repeating: 7, count: 16)))])
        try circle.exchange(1)
        try first.change(.remove(hostile.keys.id, keeping: []))
        try circle.exchange(1)
        try first.restart()
        #expect(try first.status.standing == .isIn)
        #expect(try first.engine.enclave.circle()?.members.filter(\.isIn).count == 1)
    }
}
