import SyncFormat
import SyncMerging

/// The other branch of an equivocator's log, and those that are shown it.
struct Twin {
    let machine: SimulatedMachine
    let readers: Set<MemberID>
}

extension Simulation {
    /// Goes on with two logs of one name, each for some of the others.
    func equivocate(_ machine: SimulatedMachine) {
        guard machine.replica.outgoing == nil else { return }
        if twins[machine.id] == nil {
            let readers = Set(machines.map(\.id).filter { _ in dice.chance(50) })
            let twin = SimulatedMachine(machine.replica, machine.keys, clock: machine.clock, isHostile: true)
            twins[machine.id] = Twin(machine: twin, readers: readers)
        }
        guard let twin = twins[machine.id] else { return }
        let account = "account \(dice.below(plan.accounts))"
        twin.machine.write(account, dice.chance(30) ? nil : "for some", time: time)
        if plan.hostile.contains(.removal), dice.chance(20) { removeHonest(by: twin.machine) }
        if plan.hostile.contains(.accomplice), dice.chance(20) { addUnseen(by: twin.machine) }
        if let other = twin.machine.replica.compose(twin.machine.keys) {
            transport.fork(other, for: twin.readers)
            twin.machine.replica.confirm(now: twin.machine.now(time), twin.machine.keys)
        }
        machine.write(account, dice.chance(30) ? nil : "for others", time: time)
        machine.publish(transport, time: time)
    }

    /// An accomplice that only readers of one branch hear of.
    private func addUnseen(by twin: SimulatedMachine) {
        let keys = SimulatedKeys(dice)
        twin.replica.state(.add(Addition(keys.own)))
        let replica = Replica(circle: transport.circle, me: keys.id, rows: SimulatedRows(), rules: rules)
        machines.append(SimulatedMachine(replica, keys, clock: 0, isHostile: true))
    }

    /// Removes somebody as only a machine in wrong hands does. The first two machines stay, to be compared.
    func removeHonest(by machine: SimulatedMachine) {
        let present = machine.replica.membership.machines
        let honest = machines.dropFirst(2).filter { !$0.isHostile && present.contains($0.id) }
        guard let target = honest.randomElement(by: dice) else { return }
        machine.replica.state(.remove(target.id, .user, kept: machine.replica.membership.introduced(by: target.id)))
    }

    func remove(from machine: SimulatedMachine) {
        removeHonest(by: machine)
        publish(machine)
    }
}

extension Array {
    fileprivate func randomElement(by dice: Dice) -> Element? { isEmpty ? nil : dice.pick(self) }
}
