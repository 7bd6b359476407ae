import SyncMerging
import Testing

/// A kind of history, and how many seeds of it the gate tries.
struct History: Sendable, CustomTestStringConvertible {
    let testDescription: String
    private let plan: SimulationPlan
    let gate: Int

    init(_ description: String, gate: Int, _ plan: SimulationPlan) {
        (testDescription, self.gate, self.plan) = (description, gate, plan)
    }

    static let all = [
        History("changes, with hidden and damaged batches and crashes", gate: 1, SimulationPlan()),
        History("removals of one another", gate: 1, SimulationPlan(machines: 6, accounts: 8, removals: 4)),
        History("machines that join", gate: 1, SimulationPlan(machines: 3, removals: 1, joins: 3)),
        History("cloned machines", gate: 1, SimulationPlan(machines: 3, clones: 2)),
        History(
            "a member in wrong hands", gate: 1,
            SimulationPlan(removals: 1, joins: 1, hostile: Set(SimulationPlan.Malice.allCases))),
        History("machines that are locked, items that change their class", gate: 1, SimulationPlan(locks: true)),
        History("a transport that is rolled back", gate: 1, SimulationPlan(removals: 1, rollsBack: true)),
        History("an equivocator", gate: 1, SimulationPlan(machines: 5, steps: 150, hostile: [.equivocation])),
        History(
            "an equivocator that removes and adds", gate: 1,
            SimulationPlan(machines: 5, steps: 120, hostile: [.equivocation, .accomplice, .removal])),
        History(
            "snapshots, machines that join and are removed", gate: 1,
            SimulationPlan(steps: 120, removals: 1, joins: 3, snapshots: true)),
        History(
            "snapshots of a member in wrong hands", gate: 1,
            SimulationPlan(steps: 120, joins: 2, hostile: [.snapshots, .stale, .removal], snapshots: true)),
        History(
            "a member in wrong hands that introduces others once more, machines that join", gate: 1,
            SimulationPlan(steps: 150, joins: 3, hostile: [.adoption, .accomplice])),
        History(
            "snapshots and an equivocator, locked machines", gate: 1,
            SimulationPlan(
                steps: 120, joins: 1, hostile: [.equivocation, .accomplice], locks: true, snapshots: true)),
        History(
            "shelves of machines that are locked, join and are removed, snapshots", gate: 1,
            SimulationPlan(steps: 160, removals: 1, joins: 2, locks: true, snapshots: true, shelves: true)),
    ]

    /// The plan for a seed: in the long form circles of two to twenty machines.
    func plan(_ seed: UInt64, isLong: Bool) -> SimulationPlan {
        guard isLong else { return plan }
        var plan = plan
        plan.machines = max(plan.removals > 0 || !plan.hostile.isEmpty ? 3 : 2, Int(seed % 19) + 2)
        plan.steps += 40 * plan.machines
        return plan
    }
}

/// A rule that is switched off, a kind of history that notices, and a seed of one that does.
struct Mutant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rules: MergeRules
    let plan: SimulationPlan
    let seed: UInt64

    init(_ description: String, _ plan: SimulationPlan, seed: UInt64, switchOff: (inout MergeRules) -> Void) {
        var rules = MergeRules.all
        switchOff(&rules)
        (testDescription, self.rules, self.plan, self.seed) = (description, rules, plan, seed)
    }

    /// The same history with nothing wrong.
    var sound: SimulationPlan {
        var sound = plan
        sound.fault = nil
        return sound
    }

    private static let wars = SimulationPlan(machines: 6, accounts: 8, removals: 4)
    /// Records in wrong hands are seldom replaced.
    private static let manyAccounts = SimulationPlan(accounts: 30, hostile: [.identifiers])
    private static func wrongHands(_ malice: SimulationPlan.Malice...) -> SimulationPlan {
        SimulationPlan(hostile: Set(malice))
    }

    static let all = [
        Mutant("every member acknowledges", SimulationPlan(accounts: 3), seed: 18) {
            $0.everyMemberAcknowledges = false
        },
        Mutant("named batches count", wars, seed: 1) { $0.namedBatchesCount = false },
        Mutant("equal stamps are ordered", wrongHands(.equivocation), seed: 13) { $0.equalStampsAreOrdered = false },
        Mutant("equivocators are passed on", wrongHands(.equivocation), seed: 4) {
            $0.equivocatorsArePassedOn = false
        },
        Mutant("removals are repeated", wrongHands(.equivocation, .removal, .accomplice), seed: 1) {
            $0.removalsAreRepeated = false
        },
        Mutant("identifiers are checked", manyAccounts, seed: 3) { $0.identifiersAreChecked = false },
        Mutant("the far future waits", wrongHands(.stamps), seed: 2) { $0.farFutureWaits = false },
        Mutant("a removal cuts the introduced", wrongHands(.accomplice), seed: 2) {
            $0.removalCutsIntroduced = false
        },
        Mutant("every introduction counts", SimulationPlan(steps: 150, joins: 3, hostile: [.adoption]), seed: 3) {
            $0.everyIntroductionCounts = false
        },
        Mutant("missing keys are sought", SimulationPlan(machines: 3, removals: 1, joins: 3), seed: 1) {
            $0.keysAreSought = false
        },
        Mutant("authors are introduced", SimulationPlan(machines: 3, joins: 3), seed: 1) {
            $0.authorsAreIntroduced = false
        },
        Mutant("blocked machines ask", SimulationPlan(hostile: [.generations]), seed: 2) {
            $0.blockedMachinesAsk = false
        },
        Mutant("a rollback is noticed", SimulationPlan(steps: 60, rollsBack: true), seed: 2) {
            $0.rollbackIsNoticed = false
        },
        Mutant(
            "snapshots are examined", SimulationPlan(steps: 60, joins: 2, hostile: [.snapshots], snapshots: true),
            seed: 1
        ) {
            $0.snapshotsAreExamined = false
        },
        Mutant("every member endorses", SimulationPlan(steps: 60, joins: 2, snapshots: true), seed: 3) {
            $0.everyMemberEndorses = false
        },
        Mutant(
            "a cut-off is not stated", SimulationPlan(machines: 6, accounts: 8, removals: 4, fault: .cutOffIsStated),
            seed: 1
        ) { _ in },
        Mutant(
            "keys keep their commitment", SimulationPlan(hostile: [.generations], fault: .sharesAreBelieved), seed: 2
        ) { _ in },
        Mutant(
            "absence deletes nothing", SimulationPlan(steps: 60, joins: 2, snapshots: true, fault: .absenceDeletes),
            seed: 13
        ) { _ in },
        Mutant("names come from tombstones", SimulationPlan(renames: true), seed: 2) {
            $0.namesComeFromTombstones = false
        },
    ]
}
