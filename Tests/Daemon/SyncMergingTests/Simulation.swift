import SyncFormat
import SyncMerging

/// The events of a simulation besides changes of items.
struct SimulationPlan: Sendable {
    var machines = 4
    var steps = 220
    var accounts = 6
    var hides = true
    var crashes = true
    var wrongClocks = true
    var damage = true
    var removals = 0
    var joins = 0
    var clones = 0
    var hostile: Set<Malice> = []
    var collects = true
    var renames = false
    var locks = false
    var rollsBack = false
    var snapshots = false
    /// Machines make and delete shelves of files, too.
    var shelves = false
    /// Every so many steps the machine that has acted is ended and begins again; 0 for never.
    var restarts = 0
    /// A design that all machines follow in place of a rule.
    var fault: Fault?

    /// Designs that were not chosen.
    enum Fault: Sendable {
        /// An item that a snapshot lacks is deleted.
        case absenceDeletes
        /// A removal states the last batch of its member that its author has read, and nobody reads further.
        case cutOffIsStated
        /// Keys of a generation are taken as they come, without its commitment.
        case sharesAreBelieved
    }

    /// The acts of a member in wrong hands.
    enum Malice: CaseIterable, Sendable {
        case stamps, identifiers, stale, generations, equivocation, accomplice, removal, passing, snapshots,
            adoption, floors
    }

    /// The invariants that do not hold at the end of a seed's history.
    func problems(_ seed: UInt64, _ rules: MergeRules) -> [String] {
        let simulation = Simulation(seed: seed, self, rules)
        simulation.run()
        simulation.finish()
        return simulation.check()
    }
}

/// Machines of one circle over a hostile transport, with one thread of control. One seed decides all.
final class Simulation {
    let plan: SimulationPlan
    let dice: Dice
    let rules: MergeRules
    let transport: SimulatedTransport
    var machines: [SimulatedMachine] = []
    /// Microseconds since 1970.
    var time: UInt64 = 1_800_000_000_000_000
    var gone = 0
    var problems: [String] = []
    private var accomplices = 0
    /// Looks at each machine after each of its transactions.
    var inspect: ((SimulatedMachine) -> Void)? {
        didSet { for machine in machines { machine.inspect = inspect } }
    }
    /// The other branches of equivocators.
    var twins: [MemberID: Twin] = [:]

    init(seed: UInt64, _ plan: SimulationPlan, _ rules: MergeRules = .all) {
        (dice, self.plan, self.rules) = (Dice(seed: seed), plan, rules)
        let keys = SimulatedKeys(dice)
        keys.believesShares = plan.fault == .sharesAreBelieved
        let genesis = SyncStatement.genesis(keys.own, random: BatchHash(dice.bytes(32)))
        let circle = CircleID(sha256(genesis.body))
        transport = SimulatedTransport(circle, dice)
        var replica = Replica(circle: circle, me: keys.id, rows: SimulatedRows(), rules: rules)
        replica.state(genesis)
        machines.append(SimulatedMachine(replica, keys, clock: 0))
        for _ in 0..<3 { machines[0].publish(transport, time: time) }
        for number in 1..<plan.machines { join(machines[0], isHostile: !plan.hostile.isEmpty && number == 2) }
        settle(rounds: 2)
    }

    /// Minutes, so that no clock is hours ahead.
    private var wrongClock: Int64 {
        plan.wrongClocks ? Int64(dice.pick([0, 0, 0, -3, 5, -600, 900])) * 1_000_000 : 0
    }

    /// Pairs a new machine with a member.
    @discardableResult
    func join(_ sponsor: SimulatedMachine, isHostile: Bool = false) -> SimulatedMachine {
        let keys = SimulatedKeys(dice)
        keys.believesShares = plan.fault == .sharesAreBelieved
        let replica = Replica(
            circle: transport.circle, me: keys.id, rows: SimulatedRows(), rules: rules)
        let newcomer = SimulatedMachine(replica, keys, clock: wrongClock, isHostile: isHostile)
        (newcomer.introducer, newcomer.inspect) = (sponsor.id, inspect)
        sponsor.replica.state(.add(Addition(keys.own)))
        sponsor.sync()
        for _ in 0..<3 { sponsor.publish(transport, time: time) }
        machines.append(newcomer)
        return newcomer
    }

    /// Machines that are honest and that no removal has hit, in the eyes of the first, which is never removed.
    var remaining: [SimulatedMachine] {
        machines.filter { !$0.isHostile && machines[0].replica.membership.machines.contains($0.id) }
    }

    // MARK: - Steps

    func run() {
        let plan = plan
        var events: [Int: () -> Void] = [:]
        func plant(_ count: Int, _ event: @escaping () -> Void) {
            for _ in 0..<count { events[plan.steps / 4 + dice.below(plan.steps / 2)] = event }
        }
        plant(plan.removals) { self.removeSomeone() }
        plant(plan.joins) { self.join(self.dice.pick(self.remaining.filter(\.replica.mayIntroduce))) }
        plant(plan.clones) { self.cloneSomeone() }
        for step in 0..<plan.steps {
            time += UInt64(dice.below(40)) * 100_000
            events[step]?()
            let machine = dice.pick(machines)
            act(machine)
            if plan.restarts > 0, step % plan.restarts == 0 { machine.restart(time: time) }
        }
    }

    private func act(_ machine: SimulatedMachine) {
        switch dice.below(100) {
        case 0..<30: edit(machine)
        case 30..<55: publish(machine, crashes: plan.crashes ? dice.below(12) : 0)
        case 55..<80:
            if plan.damage { deliverDamage(to: machine) }
            machine.pull(transport, time: time, crashes: plan.crashes && dice.chance(5))
            if plan.snapshots { examineAndDiscard(machine) }
        case 80..<90:
            let crash = plan.crashes && plan.snapshots ? dice.below(12) : 0
            if plan.snapshots, dice.chance(50) { makeSnapshot(machine, crashes: crash) } else { collect(machine) }
        case 90..<94:
            machine.replica.acknowledge()
            publish(machine)
        case 94..<97: if machine.isHostile { misbehave(machine) }
        default:
            if plan.locks, dice.chance(60) { lock(machine) } else if plan.hides { hide(from: machine) }
        }
    }

    /// Locks a machine, or unlocks it.
    func lock(_ machine: SimulatedMachine) {
        machine.keys.isUnlocked.toggle()
        machine.replica.unlock(now: machine.now(time), machine.keys)
        machine.sync()
    }

    private func edit(_ machine: SimulatedMachine) {
        if plan.shelves, dice.chance(40) { return editShelf(machine) }
        let account = "account \(dice.below(plan.accounts))"
        if plan.renames, dice.chance(30) {
            machine.rename(account, "account \(dice.below(plan.accounts))", time: time)
        } else {
            let value = dice.chance(35) ? nil : "value \(dice.below(1 << 30))"
            machine.write(account, value, time: time, needsUnlocked: plan.locks && dice.chance(40))
        }
        machine.sync()
    }

    func publish(_ machine: SimulatedMachine, crashes: Int = 0) {
        if !machine.publish(transport, time: time, crashes: crashes) { rename(machine) }
    }

    private func collect(_ machine: SimulatedMachine) {
        guard plan.collects, !machine.replica.isRemoved else { return }
        gone += machine.replica.collect()
        machine.sync()
    }

    private func hide(from machine: SimulatedMachine) {
        let log = dice.pick(machines).id
        let heads = machine.replica.logs[log]?.seq ?? 0
        if plan.rollsBack, dice.chance(40) {
            transport.hide(log, from: machine.id, after: heads - min(heads, UInt64(dice.below(4))))
            return
        }
        transport.hide(log, from: machine.id, after: dice.chance(40) ? .max : heads + UInt64(dice.below(3)))
    }

    /// Nothing that was damaged on its way is read, and nothing moves by it.
    private func deliverDamage(to machine: SimulatedMachine) {
        guard let delivery = transport.deliveries(to: machine.id, after: [:]).first, delivery.1.count > 1 else {
            return
        }
        let damaged = transport.damaged(delivery)
        // Batches that wait may be read by now.
        machine.receive(delivery.1, in: delivery.0, time: time)
        let before = machine.replica.logs.mapValues(\.seq)
        _ = machine.replica.receive(damaged.1, in: damaged.0, now: machine.now(time), machine.keys)
        if machine.replica.logs.mapValues(\.seq) != before { problems.append("a damaged batch was read") }
    }

    private func removeSomeone() {
        // The first two are never removed, so that there is somebody to compare.
        let removers = machines.filter { !$0.replica.isRemoved && !$0.isHostile }
        guard machines.count > 2, let target = dice.shuffled(Array(machines.dropFirst(2))).first else { return }
        remove(target, by: dice.pick(removers.filter { $0.id != target.id }))
    }

    /// The prompt proposes to keep those that the target introduced, except those of a machine in wrong hands.
    func remove(_ target: SimulatedMachine, by remover: SimulatedMachine) {
        let membership = remover.replica.membership
        guard membership.machines.contains(target.id), membership.machines.contains(remover.id) else { return }
        let kept = target.isHostile ? [] : membership.introduced(by: target.id)
        remover.replica.state(.remove(target.id, .user, kept: kept))
        if plan.fault == .cutOffIsStated { transport.cutOff(target.id, after: remover.replica.logs[target.id]?.seq) }
        remover.sync()
        publish(remover)
    }

    // MARK: - Clones

    private func cloneSomeone() {
        guard let original = dice.shuffled(remaining).first(where: { $0.id != machines[0].id }) else { return }
        let clone = SimulatedMachine(original.disk, original.keys, clock: original.clock)
        (clone.written, clone.values) = (original.written, original.values)
        machines.append(clone)
    }

    /// Another batch is in this machine's slot: it goes on under another name, which its old key adds.
    private func rename(_ machine: SimulatedMachine) {
        let next = SimulatedKeys(dice, after: machine.keys)
        for _ in 0..<1000 {
            machine.replica.abandon()
            for delivery in transport.deliveries(to: machine.id, after: machine.replica.logs) {
                machine.receive(delivery.1, in: delivery.0, time: time)
            }
            let batch = machine.replica.introduce(Addition(next.own), machine.keys)
            if transport.commit(batch) { break }
            transport.showAll()
        }
        machine.replica.confirm(now: machine.now(time), machine.keys)
        machine.keys = next
        machine.replica.become(next.id)
        machine.sync()
    }

    // MARK: - A member in wrong hands

    private func misbehave(_ machine: SimulatedMachine) {
        guard let malice = dice.shuffled(SimulationPlan.Malice.allCases.filter(plan.hostile.contains)).first else {
            return
        }
        switch malice {
        case .stamps:
            lie(machine) { _, account in
                let stamp = self.dice.pick([SyncLimits.endOfTime - 1, self.time + 40 * 3_600_000_000_000])
                return SimulatedMachine.record(account, "far ahead", hlc: stamp)
            }
        case .identifiers:
            lie(machine) { hlc, account in
                let other = SimulatedMachine.record("another", "wrong", hlc: hlc)
                return other.with(rid: SimulatedKeys.recordID(Array(account.utf8)))
            }
        case .stale:
            lie(machine) { _, account in
                SimulatedMachine.record(account, "stale", hlc: 1_700_000_000_000_000 + UInt64(self.dice.below(1 << 30)))
            }
        case .generations: makeBadGeneration(machine)
        case .equivocation: equivocate(machine)
        case .accomplice:
            accomplices += 1
            if accomplices < 3 { join(machine, isHostile: true) }
        case .removal: remove(from: machine)
        case .passing: passOn(machine)
        case .snapshots: announceLies(machine)
        case .adoption: adopt(machine)
        case .floors: raiseFloor(machine)
        }
    }

    private func lie(_ machine: SimulatedMachine, _ make: (UInt64, String) -> SyncRecord) {
        let account = "account \(dice.below(plan.accounts))"
        let rid = SimulatedKeys.recordID(Array(account.utf8))
        _ = machine.replica.write(rid, now: machine.now(time)) { make($0, account) }
        machine.sync()
        publish(machine)
    }

    /// A version that a removed member is said to have written, older than all that is known.
    private func passOn(_ machine: SimulatedMachine) {
        guard machine.replica.outgoing == nil,
            let gone = dice.shuffled(machine.replica.membership.removed.sorted()).first
        else { return }
        let account = "account \(dice.below(plan.accounts))"
        let record = SimulatedMachine.record(account, "never written", hlc: 1_700_000_000_000_000)
        commit([record.with(origin: SyncRecord.Origin(device: gone, seq: 1))], by: machine)
    }

    private func makeBadGeneration(_ machine: SimulatedMachine) {
        let others = machines.filter { $0.id != machine.id }.map(\.id)
        machine.keys.cheats = Set(others.filter { _ in dice.chance(50) })
        machine.keys.forgets = Set(others.filter { _ in dice.chance(30) })
        if dice.chance(20) { machine.keys.forgets.insert(machine.id) }
        guard let number = machine.replica.membership.nextGeneration,
            let made = machine.keys.makeGeneration(number, for: machine.replica.membership.recipients)
        else { return }
        machine.replica.state(.generation(made))
        publish(machine)
    }
}
