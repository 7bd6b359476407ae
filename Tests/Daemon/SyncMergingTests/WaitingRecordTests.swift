import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// Records that wait for their machine to be unlocked, and transports that show less than there is.
@Suite("Records that wait, logs that are withheld")
struct WaitingRecordTests {
    private static let day: UInt64 = 24 * 3_600_000_000

    @Test("A locked machine reads all logs, and what needs an unlocked one is merged when it is unlocked")
    func locked() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.lock(second)
        first.write("mail", "secret", time: circle.time, needsUnlocked: true)
        first.write("web", "open", time: circle.time)
        circle.settle(rounds: 2)
        #expect(second.value("web") == "open" && second.value("mail") == nil && second.replica.heldCount == 1)
        #expect(second.replica.logs[first.id]?.seq == first.replica.logs[first.id]?.seq)
        circle.lock(second)
        #expect(second.value("mail") == "secret" && second.replica.heldCount == 0)
    }

    /// An item gets another class and is deleted, while a locked machine still holds its first version.
    private static func unlocksLate(_ rules: MergeRules) -> String? {
        let circle = Simulation.scripted(2, rules)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.lock(second)
        first.write("mail", "old", time: circle.time, needsUnlocked: true)
        circle.settle(rounds: 2)
        first.write("mail", "of another class", time: circle.time)
        first.write("mail", nil, time: circle.time)
        for _ in 0..<3 {
            circle.settle(rounds: 2)
            for machine in circle.machines { _ = machine.replica.collect() }
        }
        circle.lock(second)
        return second.value("mail")
    }

    @Test("A version that waited behind the lock does not outlive its deletion")
    func deletionOfHeld() {
        #expect(Self.unlocksLate(.all) == nil)
        var rules = MergeRules.all
        rules.heldRecordsDelayCollecting = false
        #expect(Self.unlocksLate(rules) == "old")
    }

    @Test("A box of another batch, an item without its box, and one in a needless box are taken nowhere")
    func boxes() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let bare = SimulatedMachine.record("mail", "without its box", hlc: circle.time, needsUnlocked: true)
        let needless = SimulatedMachine.record("web", "in a needless box", hlc: circle.time)
        let moved = first.keys.box([bare], circle.header(of: first))?.first
        for record in [bare, needless.with(body: needless.copiedBody, isBoxed: true), moved].compactMap(\.self) {
            circle.commit([record], by: first)
        }
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.rows.all.isEmpty && second.replica.quarantined == [first.id: 3])
    }

    @Test("An author whose records wait in too great a number is read on when they are merged")
    func tooManyHeld() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.lock(second)
        let value = String(repeating: "x", count: 1 << 20)
        for number in 0..<18 {
            first.write("account \(number)", value, time: circle.time, needsUnlocked: true)
            circle.publish(first)
        }
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.heldCount == 16)
        circle.lock(second)
        #expect(second.replica.rows.all.count == 18 && second.replica.heldCount == 0)
    }

    @Test("A machine publishes nothing while its transport shows less than it has read")
    func rolledBack() {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        first.write("mail", "value", time: circle.time)
        circle.settle(rounds: 2)
        circle.transport.hide(first.id, from: second.id, after: 1)
        second.write("web", "value", time: circle.time)
        second.pull(circle.transport, time: circle.time)
        #expect(second.replica.rolledBack == [first.id: 1])
        #expect(second.replica.compose(second.keys) == nil)
        circle.settle(rounds: 3)
        #expect(second.replica.rolledBack.isEmpty && first.value("web") == "value")
    }

    @Test("A log that others have read further is reported after a day")
    func behind() {
        let circle = Simulation.scripted(3)
        let (author, reader, deprived) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.transport.hide(author.id, from: deprived.id, after: deprived.replica.logs[author.id]?.seq ?? 0)
        author.write("mail", "value", time: circle.time)
        circle.publish(author)
        reader.pull(circle.transport, time: circle.time)
        reader.replica.acknowledge()
        circle.publish(reader)
        deprived.pull(circle.transport, time: circle.time)
        #expect(deprived.replica.behind(now: circle.time + Self.day) == [])
        #expect(deprived.replica.behind(now: circle.time + Self.day + 1) == [author.id])
        circle.settle(rounds: 1)
        #expect(deprived.replica.behind(now: circle.time + 2 * Self.day) == [])
    }

    @Test("The log of an equivocator, which is read no further, is not reported though others have named more of it")
    func endedLog() {
        let circle = Simulation.scripted(3)
        let (reader, other, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.transport.hide(hostile.id, from: reader.id, after: hostile.replica.logs[hostile.id]?.seq ?? 0)
        hostile.replica.acknowledge()
        circle.publish(hostile)
        other.pull(circle.transport, time: circle.time)
        other.replica.acknowledge()
        circle.publish(other)
        reader.pull(circle.transport, time: circle.time)
        let later = circle.time + 2 * Self.day
        #expect(reader.replica.behind(now: later) == [hostile.id])
        other.replica.state(.remove(hostile.id, .forked, kept: []))
        circle.publish(other)
        reader.pull(circle.transport, time: circle.time)
        #expect(reader.replica.behind(now: later) == [])
    }
}

extension SyncRecord {
    fileprivate var copiedBody: SecretBytes { withBody { SecretBytes(copying: $0) } }
}
