import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// The saved form of a machine, which with the rows is all that is left of it when its process ends.
@Suite("Machines that are saved and restored")
struct SavedStateTests {
    /// The fields that differ when a machine is saved and restored without a part of its pieces; nil for no machine.
    private static func differences(
        of machine: SimulatedMachine, without kinds: Set<StateEntry.Kind> = []
    ) -> [String]? {
        let (replica, keys) = (machine.replica, machine.keys)
        let entries = replica.saved.filter { !kinds.contains($0.kind) }
        guard var other = try? Replica(restoring: entries, rows: replica.rows, rules: replica.rules, keys) else {
            return nil
        }
        other.unlock(now: 0, keys)
        let (before, after) = (fields(of: replica), fields(of: other))
        return before.keys.filter { before[$0] != after[$0] }.sorted()
    }

    private static let plans = [
        SimulationPlan(machines: 3, steps: 20, hostile: [.equivocation, .removal], restarts: 1),
        SimulationPlan(machines: 3, steps: 20, clones: 1, locks: true, rollsBack: true, restarts: 1),
        SimulationPlan(machines: 3, steps: 20, removals: 1, joins: 1, snapshots: true, restarts: 1),
    ]

    @Test("A machine that is restored after a transaction is the same, in short histories", arguments: plans.indices)
    func restored(number: Int) {
        let circle = Simulation(seed: UInt64(number) + 1, Self.plans[number])
        circle.inspect = { machine in #expect(Self.differences(of: machine) == []) }
        circle.run()
        circle.inspect = nil
        circle.finish()
        #expect(circle.check() == [])
    }

    /// The kinds of pieces that a machine has and is another one without.
    private static func missed(by machine: SimulatedMachine) -> Set<StateEntry.Kind> {
        #expect(differences(of: machine) == [])
        return Set(machine.replica.saved.map(\.kind)).filter { differences(of: machine, without: [$0]) != [] }
    }

    @Test("A machine that loses any of its pieces is another one")
    func pieces() throws {
        var found: Set<StateEntry.Kind> = []
        for machine in Self.waiting() + Self.deprived() + Self.contradicted() + (try Self.started()) {
            found.formUnion(Self.missed(by: machine))
        }
        for kind in StateEntry.Kind.allCases { #expect(found.contains(kind), "\(kind)") }
    }

    /// Records that wait for the lock and for the clock, one that is not allowed, and changes that are to be published.
    private static func waiting() -> [SimulatedMachine] {
        let circle = Simulation.scripted(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        circle.lock(second)
        first.write("mail", "secret", time: circle.time, needsUnlocked: true)
        first.write("web", "of 2040", time: circle.time + 15 * 365 * 24 * 3_600_000_000)
        circle.publish(first)
        let wrong = SimulatedMachine.record("news", "wrong", hlc: circle.time).with(rid: "mail".recordID)
        circle.commit([wrong], by: first)
        second.pull(circle.transport, time: circle.time)
        second.write("page", "open", time: circle.time)
        second.replica.state(.want(GenerationID([1])))
        second.replica.acknowledge()
        _ = first.replica.compose(first.keys)
        return [first, second]
    }

    /// A log that others have read further, and one that has become shorter.
    private static func deprived() -> [SimulatedMachine] {
        let circle = Simulation.scripted(3)
        let (author, reader, last) = (circle.machines[0], circle.machines[1], circle.machines[2])
        circle.transport.hide(author.id, from: last.id, after: last.replica.logs[author.id]?.seq ?? 0)
        author.write("mail", "value", time: circle.time)
        circle.publish(author)
        reader.pull(circle.transport, time: circle.time)
        reader.replica.acknowledge()
        circle.publish(reader)
        circle.transport.hide(author.id, from: reader.id, after: 1)
        for machine in [reader, last] { machine.pull(circle.transport, time: circle.time) }
        return [reader, last]
    }

    /// Two branches of a log, and a version that is older than a tombstone that some have let go.
    private static func contradicted() -> [SimulatedMachine] {
        let circle = Simulation.scripted(4)
        let (first, second, hostile, gone) = (
            circle.machines[0], circle.machines[1], circle.machines[2], circle.machines[3]
        )
        let before = circle.time
        first.write("mail", "old", time: circle.time)
        circle.settle(rounds: 2)
        circle.remove(gone, by: first)
        first.write("mail", nil, time: circle.time)
        circle.settle(rounds: 3)
        for machine in circle.machines { _ = machine.replica.collect() }
        let risen = SimulatedMachine(second.replica, second.keys, clock: 0)
        circle.settle(rounds: 2)
        let stale = SimulatedMachine.record("mail", "stale", hlc: before)
        circle.commit([stale.with(origin: SyncRecord.Origin(device: gone.id, seq: 1))], by: hostile)
        second.pull(circle.transport, time: circle.time)
        let passing = SimulatedMachine(second.replica, second.keys, clock: 0)
        let twin = circle.batch([], by: hostile)
        circle.transport.fork(twin, for: [second.id])
        hostile.replica.acknowledge()
        circle.publish(hostile)
        circle.transport.showBranches()
        second.pull(circle.transport, time: circle.time)
        second.pull(circle.transport, time: circle.time)
        return [risen, passing, second]
    }

    /// A snapshot that is to be announced, one that all have endorsed, and newcomers that start from it.
    private static func started() throws -> [SimulatedMachine] {
        let circle = Simulation.scripted(3)
        let (first, second) = (circle.machines[0], circle.machines[1])
        first.write("mail", "value", time: circle.time)
        circle.settle(rounds: 2)
        let isMade = first.replica.makeSnapshot(first.keys)
        #expect(isMade)
        let announcing = SimulatedMachine(first.replica, first.keys, clock: 0)
        circle.publish(first)
        circle.settle(rounds: 1)
        circle.endorse()
        let newcomer = circle.join(second)
        let (bytes, parts) = try #require(circle.transport.announcements(for: newcomer.id).first)
        let stranger = SimulatedMachine(newcomer.replica, newcomer.keys, clock: 0)
        newcomer.pull(circle.transport, time: circle.time)
        #expect(newcomer.hasStarted)
        for delivery in circle.transport.deliveries(to: newcomer.id, after: [:]) {
            _ = stranger.replica.receive(delivery.1, in: delivery.0, now: circle.time, stranger.keys)
        }
        let isRead = stranger.replica.start(
            from: bytes, parts: parts, introducer: newcomer.id, now: circle.time, stranger.keys)
        #expect(isRead && !stranger.replica.isTrusted)
        return [announcing, first, newcomer, stranger]
    }

    private static func restored(_ entries: [StateEntry], _ machine: SimulatedMachine) -> Replica<SimulatedRows>? {
        try? Replica(restoring: entries, rows: machine.replica.rows, machine.keys)
    }

    private static func names(_ entries: [StateEntry]) -> [[UInt8]: [UInt8]] {
        Dictionary(entries.map { ($0.name, $0.value) }) { $1 }
    }

    @Test("Damaged pieces are no machine, or exactly those of another one")
    func damaged() {
        let (circle, dice) = (Simulation(seed: 2, Self.plans[2]), Dice(seed: 1))
        circle.run()
        var refused = 0
        for machine in circle.machines {
            let entries = machine.replica.saved
            for _ in 0..<30 {
                var entries = entries
                let place = dice.below(entries.count)
                let (name, value) = (entries[place].name, entries[place].value)
                let damaged = dice.chance(30) ? (dice.damaged(name), value) : (name, dice.damaged(value))
                guard let other = try? StateEntry(name: damaged.0, value: damaged.1, secret: entries[place].secret)
                else { continue }
                entries[place] = other
                guard let replica = Self.restored(entries, machine) else {
                    refused += 1
                    continue
                }
                #expect(Self.names(replica.saved) == Self.names(entries))
            }
        }
        #expect(refused > 10)
    }

    @Test("Pieces with a statement that nobody has signed are no machine")
    func unsigned() throws {
        let machine = Simulation.scripted(3).machines[0]
        let entries = machine.replica.saved
        #expect(entries.contains { $0.kind == .stating })
        for (place, entry) in entries.enumerated() where entry.kind == .stating {
            var (forged, value) = (entries, entry.value)
            value[value.count - 1] ^= 1
            forged[place] = try StateEntry(name: entry.name, value: value, secret: nil)
            #expect(Self.restored(forged, machine) == nil)
        }
    }
}

extension Dice {
    /// The bytes with one that is another, one less or one more.
    fileprivate func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        switch below(3) {
        case 0 where !bytes.isEmpty: bytes[below(bytes.count)] ^= 1 << UInt8(below(8))
        case 1 where !bytes.isEmpty: bytes.removeLast()
        default: bytes.append(UInt8(below(256)))
        }
        return bytes
    }
}
