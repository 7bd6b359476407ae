import SyncFormat
import SyncMerging
import Testing

/// A rule that is switched off, and a history that notices.
struct Mutant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rules: MergeRules
    let plan: SimulationPlan
    var seeds: UInt64 = 60

    init(_ description: String, _ plan: SimulationPlan, switchOff: (inout MergeRules) -> Void) {
        var rules = MergeRules.all
        switchOff(&rules)
        (testDescription, self.rules, self.plan) = (description, rules, plan)
    }

    private static let wars = SimulationPlan(machines: 6, accounts: 8, removals: 4)
    private static func wrongHands(_ malice: SimulationPlan.Malice...) -> SimulationPlan {
        SimulationPlan(hostile: Set(malice))
    }

    static let all = [
        Mutant("every member acknowledges", SimulationPlan(accounts: 3)) { $0.everyMemberAcknowledges = false },
        Mutant("the hearer of a removal publishes", wars) { $0.removalIsAcknowledged = false },
        Mutant("named batches count", wars) { $0.namedBatchesCount = false },
        Mutant("equal stamps are ordered", wrongHands(.equivocation)) { $0.equalStampsAreOrdered = false },
        Mutant("equivocators are passed on", wrongHands(.equivocation)) { $0.equivocatorsArePassedOn = false },
        Mutant("identifiers are checked", wrongHands(.identifiers)) { $0.identifiersAreChecked = false },
        Mutant("the far future waits", wrongHands(.stamps)) { $0.farFutureWaits = false },
        Mutant("a generation needs its author", wrongHands(.generations)) { $0.generationNeedsItsAuthor = false },
        Mutant("a removal cuts the introduced", wrongHands(.accomplice)) { $0.removalCutsIntroduced = false },
        Mutant("the floor binds authors", wrongHands(.stale)) { $0.floorBindsAuthors = false },
        Mutant("the floor raises stamps", SimulationPlan(accounts: 3)) { $0.floorRaisesStamps = false },
    ]
}

@Suite("Rules of merging")
struct RuleMutantTests {
    @Test("A simulation finds that a rule is missing", arguments: Mutant.all)
    func found(mutant: Mutant) {
        let seed = (1...mutant.seeds).first { !SimulationTests.problems($0, mutant.plan, mutant.rules).isEmpty }
        #expect(seed != nil)
    }
}
