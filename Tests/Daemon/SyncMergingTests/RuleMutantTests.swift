import SyncMerging
import TestSupport
import Testing

@Suite("Rules of merging")
struct RuleMutantTests {
    @Test("A history that goes well goes wrong when one rule is missing", arguments: Mutant.all)
    func known(mutant: Mutant) {
        if isLong { #expect(mutant.sound.problems(mutant.seed, .all) == []) }
        // A change of the simulation changes what a seed does, so others are tried after the known one.
        let seeds = [mutant.seed] + Array(1...40)
        let found = seeds.first { mutant.plan.problems($0, mutant.rules) != [] }
        #expect(found != nil)
        if let found, found != mutant.seed { print("\(mutant.testDescription): seed \(found) is the one that notices") }
    }
}
