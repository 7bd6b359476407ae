import SyncFormat
import SyncMerging
import TestSupport
import Testing

/// A kind of history, and how many seeds of it the gate tries.
struct History: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let plan: SimulationPlan
    var gate = 4

    static let all = [
        History(testDescription: "changes, with hidden and damaged batches and crashes", plan: SimulationPlan()),
        History(
            testDescription: "removals of one another",
            plan: SimulationPlan(machines: 6, accounts: 8, removals: 4), gate: 8),
        History(testDescription: "machines that join", plan: SimulationPlan(machines: 3, removals: 1, joins: 3)),
        History(testDescription: "cloned machines", plan: SimulationPlan(machines: 3, clones: 2)),
        History(
            testDescription: "a member in wrong hands",
            plan: SimulationPlan(removals: 1, joins: 1, hostile: Set(SimulationPlan.Malice.allCases)), gate: 8),
        History(
            testDescription: "an equivocator",
            plan: SimulationPlan(machines: 5, steps: 150, hostile: [.equivocation]), gate: 6),
    ]
}

@Suite("Simulated circles")
struct SimulationTests {
    @Test("Whatever happens, machines that stay have the same rows, and no change is lost", arguments: History.all)
    func histories(history: History) {
        for seed in SimulationSeeds.of(history.gate, long: 400) {
            let found = Self.problems(seed, Self.sized(history.plan, seed))
            #expect(found.isEmpty, "seed \(seed): \(found)")
        }
    }

    /// In the long form circles of two to twenty machines.
    private static func sized(_ plan: SimulationPlan, _ seed: UInt64) -> SimulationPlan {
        var plan = plan
        if full(1, gate: 0) == 1, plan.hostile.isEmpty {
            plan.machines = max(plan.removals > 0 ? 3 : 2, Int(seed % 19) + 2)
            plan.steps += 40 * plan.machines
        }
        return plan
    }

    static func problems(_ seed: UInt64, _ plan: SimulationPlan, _ rules: MergeRules = .all) -> [String] {
        let simulation = Simulation(seed: seed, plan, rules)
        simulation.run()
        simulation.finish()
        return simulation.check()
    }

    @Test("The same seed gives the same history")
    func oneSeed() {
        func end() -> [RecordID: [UInt8]] {
            let simulation = Simulation(seed: 3, SimulationPlan(removals: 1, joins: 1))
            simulation.run()
            simulation.finish()
            return simulation.machines[0].replica.rows.live
        }
        #expect(end() == end())
    }

    @Test("Tombstones are collected while machines work")
    func collected() {
        let simulation = Simulation(seed: 1, SimulationPlan(steps: 300))
        simulation.run()
        simulation.finish()
        #expect(simulation.gone > 0)
    }
}

/// The gate's seeds are fixed. The long form takes new ones, and a failure names its own.
enum SimulationSeeds {
    static func of(_ gate: Int, long: Int) -> [UInt64] {
        guard full(1, gate: 0) == 1 else { return (1...UInt64(gate)).map { $0 } }
        let first = UInt64.random(in: 0...(1 << 40))
        print("seeds of the simulation: \(first)..<\(first + UInt64(long))")
        return (first..<first + UInt64(long)).map { $0 }
    }
}
