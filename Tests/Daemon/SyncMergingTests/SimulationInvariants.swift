import SyncFormat
import SyncMerging

extension Simulation {
    /// Everybody publishes and reads, until there is nothing new.
    func settle(rounds: Int) {
        transport.showAll()
        for _ in 0..<rounds {
            time += 1_000_000
            for machine in machines {
                machine.replica.acknowledge()
                publish(machine)
                machine.pull(transport, time: time)
                if plan.restarts == 1 { machine.restart(time: time) }
            }
        }
    }

    /// The end of a history: the transport hides nothing, machines in wrong hands are removed, and all that is shown is
    /// read.
    func finish() {
        for machine in machines {
            machine.keys.isUnlocked = true
            machine.replica.unlock(now: machine.now(time), machine.keys)
        }
        transport.showBranches()
        settle(rounds: 3)
        if plan.snapshots {
            endorse()
            settle(rounds: 2)
        }
        if plan.hostile.contains(.snapshots) { joinAfterLies() }
        // The user does not know of the machines that this one has added.
        if let hostile = machines.first(where: \.isHostile) { remove(hostile, by: machines[0]) }
        settle(rounds: 6)
        if plan.collects { collectAll() }
        guard plan.snapshots else { return }
        endWithSnapshot()
        if plan.collects { collectAll() }
    }

    private func collectAll() {
        for _ in 0..<6 where remaining.contains(where: { $0.replica.rows.all.values.contains(where: \.isTombstone) }) {
            for machine in remaining {
                gone += machine.replica.collect()
                machine.sync()
            }
            settle(rounds: 2)
        }
    }

    /// The invariants that do not hold at the end; empty if all does.
    func check() -> [String] {
        var found = problems
        let left = remaining
        guard let first = left.first else { return ["nobody is left"] }
        for other in left.dropFirst() {
            if other.replica.membership.removed != first.replica.membership.removed { found.append("removals differ") }
            if other.replica.rows.live != first.replica.rows.live { found.append("rows differ") }
        }
        let gone = machines.reduce(into: [:]) { $0.merge($1.replica.rows.gone) { max($0, $1) } }
        for machine in left { found += lost(machine, first, gone) }
        found += unkept(left, first) + unalarmed(left)
        if machines.contains(where: { $0.fallen > 0 }) { found.append("a position has fallen") }
        if left.contains(where: { $0.replica.heldCount > 0 }) { found.append("records wait on an unlocked machine") }
        if machines.contains(where: { $0.unrestored > 0 }) { found.append("a machine is not restored") }
        if left.contains(where: { $0.overlooked > 0 }) { found.append("a transport was rolled back unnoticed") }
        if left.contains(where: { $0.replica.rows.robbed > 0 }) { found.append("an item has lost its name") }
        for machine in left { found += forbidden(machine) + wrongKeys(machine) }
        let isIn = machines.contains { $0.isHostile && first.replica.membership.machines.contains($0.id) }
        if isIn { found.append("a machine in wrong hands is still in") }
        if plan.snapshots { for machine in left { found += strange(machine, first) } }
        return found + leaked(first) + unbounded(left)
    }

    /// A change that was acknowledged is there, or has lost to a larger stamp: of a row that is not there, to that of a
    /// tombstone which somebody has let go.
    private func lost(
        _ machine: SimulatedMachine, _ first: SimulatedMachine, _ gone: [RecordID: UInt64]
    ) -> [String] {
        machine.written.compactMap { rid, stamps in
            guard let last = stamps.max() else { return nil }
            let winner = first.replica.rows[rid]?.stamp.hlc ?? gone[rid] ?? 0
            return winner >= last.hlc ? nil : "a change was lost"
        }
    }

    /// A value that was acknowledged is there, or was superseded on some machine, which can give it back.
    private func unkept(_ left: [SimulatedMachine], _ first: SimulatedMachine) -> [String] {
        let superseded = machines.reduce(into: [:]) { found, machine in
            found.merge(machine.replica.rows.superseded) { $0.union($1) }
        }
        return left.flatMap(\.values).flatMap { rid, values in
            values.filter { $0 != first.replica.rows[rid]?.value && superseded[rid]?.contains($0) != true }
                .map { _ in "a value is kept nowhere" }
        }
    }

    /// Each machine that has read one branch takes its author for what it is, once the other is shown to it.
    private func unalarmed(_ left: [SimulatedMachine]) -> [String] {
        transport.forks.flatMap { slot in
            left.filter { $0.replica.logs[slot.device]?.seq ?? 0 >= slot.seq }
                .filter { !$0.replica.doubted.contains(slot.device) }.map { _ in "a fork is not noticed" }
        }
    }

    /// No row has another's identifier, or a stamp that is far ahead.
    private func forbidden(_ machine: SimulatedMachine) -> [String] {
        machine.replica.rows.all.compactMap { rid, row in
            if machine.keys.recordID(of: row.record) != rid { return "a record has another's identifier" }
            let isFar = row.stamp.hlc > time + 25 * 3_600_000_000
            return isFar ? "a record is far ahead" : nil
        }
    }

    /// A removed machine has no keys of the generation that others write with.
    private func leaked(_ first: SimulatedMachine) -> [String] {
        guard let current = first.replica.membership.currentGeneration else { return ["no generation"] }
        return machines.compactMap { machine in
            let isOut = first.replica.membership.removed.contains(machine.id)
            return isOut && machine.keys.holds(current.id) ? "a removed machine reads on" : nil
        }
    }

    /// Tombstones go at last.
    private func unbounded(_ left: [SimulatedMachine]) -> [String] {
        guard plan.collects, plan.clones == 0 else { return [] }
        let kept = left.map { $0.replica.rows.all.values.count(where: \.isTombstone) }
        return kept.contains { $0 > 0 } ? ["tombstones stay"] : []
    }
}
