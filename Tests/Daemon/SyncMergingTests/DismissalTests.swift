import SyncFormat
import SyncMerging
import Testing

@Suite("Members whose access to the place is to end")
struct DismissalTests {
    private let circle = Simulation.scripted(3)
    private var first: SimulatedMachine { circle.machines[0] }
    private var second: SimulatedMachine { circle.machines[1] }
    private var sponsor: SimulatedMachine { circle.machines[2] }

    @Test("One that is out with its sponsor comes back by another's word, and one that was removed by name does not")
    func cutOff() {
        let newcomer = circle.join(sponsor)
        circle.settle(rounds: 3)
        first.replica.state(.remove(sponsor.id, .user, kept: []))
        circle.publish(first)
        circle.settle(rounds: 2)
        #expect(second.replica.dismissed == [sponsor.id] && second.replica.cutOff == [newcomer.id])
        for member in [sponsor, newcomer] { second.replica.state(.add(Addition(member.keys.own))) }
        circle.settle(rounds: 3)
        #expect(first.replica.dismissed == [sponsor.id] && first.replica.cutOff.isEmpty)
        circle.remove(newcomer, by: first)
        #expect(first.replica.dismissed == [sponsor.id, newcomer.id].sorted() && first.replica.cutOff.isEmpty)
    }

    @Test("The targets of members that are in come first, and each member once")
    func order() {
        let others = (0..<4).map { _ in circle.join(first) }
        circle.settle(rounds: 3)
        for target in others.prefix(3) { circle.remove(target, by: sponsor) }
        circle.settle(rounds: 2)
        for target in [sponsor, others[3]] { circle.remove(target, by: second) }
        circle.settle(rounds: 2)
        let targets = [sponsor, others[3]].map(\.id).sorted()
        #expect(first.replica.dismissed == targets + others.prefix(3).map(\.id).sorted())
    }
}
