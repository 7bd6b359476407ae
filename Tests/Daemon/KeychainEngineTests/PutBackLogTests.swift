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

/// A removed member that can still write to the place puts old batches back; or the machine has looked early.
@Suite("A place that shows a newcomer old beginnings of logs alone")
struct PutBackLogTests {
    /// A batch that removes a machine, behind the last of its author's log.
    private static func removal(of target: MemberID, by author: SyncedMachine, after last: [UInt8]) throws
        -> (slot: SyncSlot, bytes: [UInt8])
    {
        let before = try SyncBatch(decoding: last) { (try? BatchHash(sha256: $0.span)) ?? .none }
        return try author.signed(
            [.remove(target, .user, kept: [])], seq: before.header.seq + 1,
            after: try BatchHash(sha256: before.signed.span))
    }

    private static func exchange(_ machines: [SyncedMachine], _ folder: FolderTransport, _ rounds: Int = 3) throws {
        for _ in 0..<rounds {
            for machine in machines { try machine.push(folder) }
            for machine in machines { try machine.pull(folder) }
        }
    }

    @Test("It starts from a snapshot, and its enclave counts nothing of what a removed member has put back")
    func newcomer() throws {
        let circle = try SyncedMachines(3, snapshotAfter: 8)
        let (first, second, hostile) = (circle.first, circle.second, circle.machines[2])
        try hostile.keychain.add("its", value: "0")
        try circle.exchange()
        let (others, its) = ([first, second], try hostile.status.me)
        let old = try circle.slots().filter { $0.slot.device != (try second.status.me) }
        let last = try #require(old.filter { $0.slot.device == its }.max { $0.slot.seq < $1.slot.seq })
        let trap = try Self.removal(of: try second.status.me, by: hostile, after: last.bytes)
        try first.change(.remove(its, keeping: []))
        try Self.exchange(others, circle.transport)
        for number in 0..<12 {
            try first.keychain.add("item \(number)", value: "\(number)")
            try first.push(circle.transport)
        }
        try Self.exchange(others, circle.transport, 6)
        #expect(try circle.slots().allSatisfy { $0.slot.seq > 1 })
        let newcomer = try SyncedMachine("newcomer", snapshotAfter: 8)
        try circle.add(newcomer)
        try first.push(circle.transport)
        for (slot, bytes) in old + [trap] { #expect(try circle.transport.commit(bytes, in: slot) == .done) }
        try newcomer.pull(circle.transport)
        #expect(try newcomer.status.standing == .isIn)
        let state = try #require(try newcomer.engine.enclave.circle())
        #expect(state.members.filter { !$0.isIn }.map(\.id) == [its])
        try newcomer.keychain.add("of the newcomer", value: "n")
        try Self.exchange(others + [newcomer], circle.transport)
        #expect(try first.keychain.values()["of the newcomer"] == "n")
    }

    @Test("A machine that has looked before it was added starts from a snapshot where logs are gone meanwhile")
    func looksEarly() throws {
        let circle = try SyncedMachines(2, snapshotAfter: 8)
        let (first, second) = (circle.first, circle.second)
        let newcomer = try SyncedMachine("newcomer", snapshotAfter: 8)
        let joining = CircleChange.join(try first.status.circle, place: circle.folder.path, name: newcomer.name)
        let keys = try #require(try newcomer.change(joining)).keys
        try newcomer.pull(circle.transport)
        for number in 0..<12 {
            try first.keychain.add("item \(number)", value: "\(number)")
            try first.push(circle.transport)
        }
        try Self.exchange([first, second], circle.transport, 6)
        try first.change(.add(keys, name: newcomer.name))
        try Self.exchange([first, second, newcomer], circle.transport, 4)
        #expect(try newcomer.status.standing == .isIn)
        #expect(try newcomer.keychain.values().count == 12)
    }
}
