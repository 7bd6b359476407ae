import Glibc
import SyncMerging
import TestSupport
import Testing

/// Simulations one after the other until so many steps were taken: the kinds of histories in turn, each with another
/// seed. A script of the long tier has a million steps of them.
@Suite("The simulation as a program")
struct SimulationProgramTests {
    /// Steps of the gate, and how large most circles are.
    private static let (fewSteps, machines) = (1_000, 5)

    /// A number that a script gives.
    private static func given(_ variable: String) -> UInt64? {
        guard let value = unsafe getenv(variable) else { return nil }
        return UInt64(unsafe String(cString: value))
    }

    /// Circles of two to six machines. Every twentieth is one of the long form.
    private static func plan(_ history: History, _ seed: UInt64) -> SimulationPlan {
        var plan = history.plan(seed, isLong: seed % 20 == 0)
        if seed % 20 != 0 { plan.machines = max(plan.machines - 1, 2 + Int(seed % UInt64(machines))) }
        return plan
    }

    @Test("Many histories with one seed after the other lose nothing")
    func program() {
        let wanted = Int(Self.given("SIMULATION_STEPS") ?? UInt64(Self.fewSteps))
        let first = Self.given("SIMULATION_SEED") ?? 1
        var (steps, seed, wrong) = (0, first, 0)
        while steps < wanted {
            let history = History.all[Int(seed % UInt64(History.all.count))]
            let plan = Self.plan(history, seed)
            let found = plan.problems(seed, .all)
            #expect(found.isEmpty, "seed \(seed), \(history.testDescription): \(found)")
            (steps, seed, wrong) = (steps + plan.steps, seed + 1, wrong + (found.isEmpty ? 0 : 1))
        }
        print("simulation: \(steps) steps, seeds \(first)..<\(seed), \(wrong) with problems")
    }
}
