import SyncFormat
import SyncMerging
import Testing

@Suite("Snapshots and newcomers, in whatever order their batches are read")
struct SnapshotOrderTests {
    private let circle = Simulation.scripted(4)
    private var author: SimulatedMachine { circle.machines[0] }
    private var other: SimulatedMachine { circle.machines[1] }
    private var reader: SimulatedMachine { circle.machines[2] }
    private var gone: SimulatedMachine { circle.machines[3] }

    /// All have endorsed a snapshot, one of them unseen by another one.
    private func endorseUnseen() {
        gone.write("mail", "by the removed", time: circle.time)
        circle.settle(rounds: 2)
        circle.remove(gone, by: author)
        circle.settle(rounds: 3)
        #expect(circle.makeSnapshot(author))
        circle.endorse(reader, author)
        circle.transport.hide(other.id, from: reader.id, after: other.replica.logs[other.id]?.seq ?? 0)
        circle.endorse(other, author)
        author.pull(circle.transport, time: circle.time)
    }

    @Test("A machine that reads of a newcomer before the last word for a snapshot goes on when old logs are gone")
    func newcomerFirst() {
        endorseUnseen()
        circle.join(author)
        reader.pull(circle.transport, time: circle.time)
        circle.discard(author)
        #expect(circle.transport.discarded[gone.id] ?? 0 > 0)
        circle.transport.showAll()
        for _ in 0..<2 { reader.pull(circle.transport, time: circle.time) }
        #expect(reader.replica.rolledBack.isEmpty)
        reader.write("web", "heard", time: circle.time)
        circle.publish(reader)
        author.pull(circle.transport, time: circle.time)
        #expect(author.value("web") == "heard")
    }

    @Test("No log goes before a machine has endorsed that was added by a member which had not")
    func newcomerOfOthers() {
        circle.settle(rounds: 2)
        #expect(circle.makeSnapshot(author))
        let newcomer = circle.join(other)
        for machine in [other, reader, gone] { circle.endorse(machine, author) }
        author.pull(circle.transport, time: circle.time)
        #expect(author.replica.covered == nil)
        circle.endorse(newcomer, author)
        author.pull(circle.transport, time: circle.time)
        #expect(author.replica.covered != nil)
    }

    @Test("A snapshot in which a record of 2040 alone stands for an item of today is not endorsed")
    func farAhead() throws {
        author.write("mail", "of today", time: circle.time)
        circle.settle(rounds: 2)
        other.write("mail", "of 2040", time: circle.time + 15 * 365 * 24 * 3_600_000_000)
        circle.settle(rounds: 2)
        #expect(circle.makeSnapshot(other) && author.value("mail") == "of today")
        circle.endorse(author, other)
        let refused = try #require(author.replica.snapshots[other.id]?.position)
        #expect(!author.replica.hasEndorsed(author.id, refused))
        #expect(circle.makeSnapshot(author))
        circle.endorse(reader, author)
        let endorsed = try #require(reader.replica.snapshots[author.id]?.position)
        #expect(reader.replica.hasEndorsed(reader.id, endorsed))
    }

    /// The sponsor has read a log further than the newcomer, is removed, and that log becomes short.
    @Test("A newcomer whose sponsor is out says nothing before it has read what others name, and may still start")
    func sponsorOut() {
        circle.settle(rounds: 2)
        other.write("mail", "value", time: circle.time)
        circle.publish(other)
        gone.pull(circle.transport, time: circle.time)
        let newcomer = circle.join(gone)
        circle.transport.hide(other.id, from: newcomer.id, after: 0)
        newcomer.pull(circle.transport, time: circle.time)
        author.pull(circle.transport, time: circle.time)
        author.replica.state(.remove(gone.id, .user, kept: [newcomer.id]))
        circle.publish(author)
        circle.exchange(from: author, to: newcomer)
        #expect(newcomer.replica.membership.machines.contains(newcomer.id))
        #expect(newcomer.replica.membership.removed.contains(gone.id))
        #expect(newcomer.replica.compose(newcomer.keys) == nil && newcomer.replica.mayStart)
        circle.transport.showAll()
        circle.settle(rounds: 3)
        newcomer.write("web", "heard", time: circle.time)
        circle.settle(rounds: 2)
        #expect(newcomer.value("mail") == "value" && author.value("web") == "heard" && !newcomer.replica.mayStart)
    }
}
