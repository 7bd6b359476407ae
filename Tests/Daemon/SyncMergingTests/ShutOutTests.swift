import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// A machine gets no keys of the batch that removes it, and reads no batch that names it.
@Suite("A machine that is removed in a batch without its keys")
struct ShutOutTests {
    private let circle = Simulation.scripted(4)
    private var first: SimulatedMachine { circle.machines[0] }
    private var second: SimulatedMachine { circle.machines[1] }
    private var remover: SimulatedMachine { circle.machines[2] }
    private var target: SimulatedMachine { circle.machines[3] }

    private func write(_ value: String) {
        target.write("mail", value, time: circle.time)
        circle.publish(target)
    }

    private func end() -> UInt64? { circle.transport.logs[target.id]?.keys.max() }

    @Test("It publishes nothing while the author is in")
    func publishesNothing() {
        circle.remove(target, by: remover)
        circle.deliver(logOf: remover, to: target)
        #expect(target.replica.isShutOut(target.keys) && !target.replica.isRemoved)
        let before = end()
        write("unheard")
        #expect(end() == before)
        let makesSnapshot = target.replica.makeSnapshot(target.keys)
        #expect(!makesSnapshot)
    }

    @Test("It asks for the keys of batches that others have written before")
    func asksForKeys() throws {
        circle.remove(target, by: remover)
        circle.deliver(logOf: remover, to: target)
        let unknown = circle.unreadable([], by: first)
        try #require(circle.transport.commit(unknown))
        circle.deliver(logOf: first, to: target)
        circle.publish(target)
        let bytes = try #require(circle.transport.logs[target.id]?.max { $0.key < $1.key }?.value)
        let batch = try SyncBatch(decoding: bytes, hash: target.keys.hash)
        #expect(batch.statements.contains(.want(unknown.header.generation)) && batch.header.generation == .none)
    }

    @Test("It goes on when it reads that the author was removed before anybody has read that batch")
    func authorIsOut() {
        circle.remove(target, by: remover)
        circle.remove(remover, by: second)
        circle.deliver(logOf: second, to: first)
        circle.deliver(logOf: remover, to: target)
        write("late")
        circle.settle(rounds: 3)
        #expect(!target.replica.isShutOut(target.keys))
        #expect([first, second, target].map { $0.value("mail") } == ["late", "late", "late"])
        #expect(first.replica.membership.removed == [remover.id])
    }

    @Test("It is out with its sponsor, too")
    func sponsorIsOut() {
        let newcomer = circle.join(target)
        circle.settle(rounds: 2)
        remover.replica.state(.remove(target.id, .user, kept: []))
        circle.publish(remover)
        circle.deliver(logOf: remover, to: newcomer)
        #expect(newcomer.replica.isShutOut(newcomer.keys))
    }

    @Test("Removals that strangers have made up cost it nothing")
    func strangers() {
        let removals = (0..<64).map { SyncStatement.remove(first.id, .user, kept: [MemberID(number: UInt128($0))]) }
        for number in 1...SyncLimits.members {
            let header = SyncHeader(
                circle: circle.transport.circle, device: MemberID(number: UInt128(number)), seq: 1, previous: .none,
                generation: GenerationID([1]), salt: .none)
            let batch = SyncBatch(
                header, removals, sealed: [1], sealedHash: first.keys.hash([1]), sign: remover.keys.sign)
            let verdict = target.replica.receive(batch.bytes ?? [], in: batch.slot, now: circle.time, target.keys)
            #expect(verdict == .waits)
        }
        var isShutOut = true
        // Each of thousands of removals would have the members found again.
        #expect(processorTime { isShutOut = target.replica.isShutOut(target.keys) } < 2)
        #expect(!isShutOut)
    }
}
