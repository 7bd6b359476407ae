import SyncFormat
import SyncMerging
import TestSupport
import Testing

@Suite("Simulated circles")
struct SimulationTests {
    @Test("Whatever happens, machines that stay have the same rows, and no change is lost", arguments: History.all)
    func histories(history: History) {
        var steps = 0
        for seed in SimulationSeeds.of(history.gate, long: 4) {
            let plan = history.plan(seed, isLong: isLong)
            let found = plan.problems(seed, .all)
            #expect(found.isEmpty, "seed \(seed): \(found)")
            steps += plan.steps
        }
        if isLong { print("\(history.testDescription): \(steps) steps") }
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

var isLong: Bool { full(1, gate: 0) == 1 }

/// The gate's seeds are fixed. The long form takes new ones, and a failure names its own.
enum SimulationSeeds {
    static func of(_ gate: Int, long: Int) -> [UInt64] {
        guard isLong else { return (1...UInt64(gate)).map { $0 } }
        let first = UInt64.random(in: 0...(1 << 40))
        print("seeds of the simulation: \(first)..<\(first + UInt64(long))")
        return (first..<first + UInt64(long)).map { $0 }
    }
}
