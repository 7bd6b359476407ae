import SyncFormat
import TestSupport
import Testing

/// Two memberships of one circle: one that knows everything, and one that has forgotten what it may.
private struct ForgetfulCircle {
    private(set) var whole = Membership()
    private(set) var brief = Membership()
    private(set) var statements: [Stated] = []

    /// Counts a statement. An author that was forgotten is out, and is not heard.
    mutating func count(_ statement: Stated) {
        statements.append(statement)
        statement.count(in: &whole)
        countAgain(statement)
    }

    private mutating func countAgain(_ statement: Stated) {
        if statement.author == 0 || brief.members[id(statement.author)] != nil { statement.count(in: &brief) }
    }

    /// Counts all statements once more, as an enclave does after a start.
    mutating func remind() { for statement in statements { countAgain(statement) } }

    mutating func forget() { brief.forgetRemoved(keeping: []) }

    /// Whether nobody is in but those that are in by all statements.
    var isFaithful: Bool { Set(brief.present.keys).isSubset(of: whole.present.keys) }
    var isSame: Bool { Set(brief.present.keys) == Set(whole.present.keys) }
}

@Suite("Members in little room") struct MembershipRoomTests {
    @Test("A member that a removal has kept goes with a later one that does not, also where there is little room")
    func keptOnce() {
        var circle = ForgetfulCircle()
        // 3 is out with 2, and has introduced 4, which stays.
        for one: Stated in [.add(1, by: 0), .add(2, by: 1), .add(3, by: 2), .add(4, by: 3), .add(5, by: 1)] {
            circle.count(one)
        }
        circle.count(.remove(2, by: 1, keeping: [4]))
        circle.forget()
        #expect(circle.isSame && circle.brief.present.count == 3)
        circle.count(.remove(2, by: 5))
        #expect(circle.isSame && circle.brief.removed.contains(id(4)))
    }

    @Test("Introductions of members that are out, and of those that are in, by others that are out take no room")
    func fill() {
        var circle = ForgetfulCircle()
        for one: Stated in [.add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 1)] { circle.count(one) }
        circle.count(.remove(4, by: 1))
        // 3 fills the room with others, which introduce those that are out, and 2 removes them.
        for number in 10..<50 {
            circle.count(.add(number, by: 3))
            circle.count(.add(4, by: number))
            circle.count(.add(1, by: number))
            circle.count(.remove(number, by: 2))
        }
        circle.count(.remove(3, by: 1))
        circle.forget()
        #expect(circle.isSame && circle.brief.introductions.values.map(\.count).reduce(0, +) <= 5)
    }

    @Test(
        "Nobody is in that is out by all statements, whatever was forgotten and counted again",
        arguments: UInt64(1)...60)
    func anyCircle(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            var circle = ForgetfulCircle()
            for one in Self.history(&random) {
                circle.count(one)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    let before = Set(circle.brief.present.keys)
                    circle.forget()
                    #expect(Set(circle.brief.present.keys) == before)
                }
                if Int.random(in: 0..<4, using: &random) == 0 { circle.remind() }
                #expect(circle.isFaithful)
            }
        }
    }

    /// Introductions and removals of a few members, each of which is known to those before it.
    private static func history(_ random: inout SplitMix64) -> [Stated] {
        let count = Int.random(in: 3...8, using: &random)
        let first = (2...count).map { Stated.add($0, by: Int.random(in: 1..<$0, using: &random)) }
        var rest: [Stated] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let (one, other) = (Int.random(in: 1...count, using: &random), Int.random(in: 1...count, using: &random))
            rest.append(.add(one, by: other))
        }
        let odds = Int.random(in: 1...4, using: &random)
        // The first member removes, and is in for good: what those who are out have removed may be forgotten.
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let kept = (1...count).filter { _ in Int.random(in: 0..<odds, using: &random) == 0 }
            rest.append(.remove(Int.random(in: 2...count, using: &random), by: 1, keeping: kept))
        }
        return [.add(1, by: 0)] + first + rest.shuffled(using: &random)
    }
}
