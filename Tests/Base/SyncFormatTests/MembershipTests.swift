import SyncFormat
import TestSupport
import Testing

/// All that follows from a membership, to be compared.
private func consequences(_ membership: Membership) -> String {
    let members = membership.members.sorted { $0.key < $1.key }
    let facts = members.map { id, member in
        "\(id.number): \(member.sponsor.number) \(member.isRecoveryKey) \(membership.introduced(by: id).map(\.number))"
    }
    let cuts = membership.cuts.map { "\($0.place.device.number) \($0.target.number) \($1.map(\.number).sorted())" }
    return "\(membership.removed.map(\.number).sorted()) \(facts) \(cuts.sorted())"
}

private func permutations<Element>(_ list: [Element]) -> [[Element]] {
    guard list.count > 1 else { return [list] }
    return list.indices.flatMap { place in
        var rest = list
        let one = rest.remove(at: place)
        return permutations(rest).map { [one] + $0 }
    }
}

@Suite("Members that are in") struct MembershipTests {
    /// Small histories in which somebody is introduced twice.
    private static let histories: [[Stated]] = [
        [.add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 2), .add(4, by: 3), .remove(3, by: 1)],
        [
            .add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 2), .add(4, by: 3),
            .remove(2, by: 1, keeping: [4]),
        ],
        [.add(1, by: 0), .add(2, by: 1), .add(3, by: 2), .add(2, by: 3), .remove(2, by: 1), .add(4, by: 3)],
        [
            .add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(3, by: 2, isKey: true), .remove(2, by: 3),
            .add(1, by: 2),
        ],
        [
            .add(1, by: 0), .add(2, by: 1), .add(3, by: 2), .add(3, by: 1), .remove(2, by: 3),
            .remove(1, by: 2, keeping: [3]),
        ],
    ]

    @Test(
        "The members that are in, and their sponsors, follow from the statements, in whatever order these are counted",
        arguments: 0..<5)
    func anyOrder(history: Int) {
        let statements = Self.histories[history]
        let ends = Set(permutations(statements).map { consequences(counted($0)) })
        #expect(ends.count == 1, "\(ends)")
    }

    @Test("It does in circles where anybody introduces and removes anybody", arguments: UInt64(1)...40)
    func anyCircle(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var statements: [Stated] =
            [.add(1, by: 0)] + (2...12).map { .add($0, by: Int.random(in: 1..<$0, using: &random)) }
        for _ in 0..<20 {
            let (member, sponsor) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...12, using: &random))
            statements.append(.add(member, by: sponsor, isKey: Bool.random(using: &random)))
        }
        for _ in 0..<8 {
            let (target, author) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...12, using: &random))
            let kept = (1...12).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
            statements.append(.remove(target, by: author, keeping: kept))
        }
        // Of one sponsor and member the first introduction counts: these have one order, that of a log.
        let places = Dictionary(grouping: statements.indices) { place -> [Int] in
            if case .add(let member, let sponsor, _) = statements[place] { [member, sponsor] } else { [-1, place] }
        }
        let once = places.values.compactMap(\.first).sorted().map { statements[$0] }
        let ends = Set((0..<20).map { _ in consequences(counted(once.shuffled(using: &random))) })
        #expect(ends.count == 1, "\(ends)")
    }

    @Test("Somebody behind a member of several chains is in or out alike, whether it is introduced first or last")
    func behindSeveralChains() {
        let introductions: [Stated] = [
            .add(1, by: 0), .add(2, by: 1), .add(5, by: 2), .add(3, by: 1), .add(9, by: 3), .add(5, by: 9),
        ]
        // The short chain of 5 is cut twice, but not that of 7; the long one is cut once, with all behind it.
        let removals: [Stated] = [
            .remove(2, by: 1, keeping: [7]), .remove(2, by: 9, keeping: [7]), .remove(3, by: 1),
        ]
        let last = counted(introductions + removals + [.add(7, by: 5)])
        #expect(consequences(counted([.add(7, by: 5)] + introductions + removals)) == consequences(last))
        #expect(!last.removed.contains(id(7)))
    }

    @Test("A machine that another one has introduced as well stays when one of the two is removed, and goes with both")
    func twoSponsors() {
        let both: [Stated] = [.add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 2), .add(4, by: 3)]
        for gone in [2, 3] {
            #expect(counted(both + [.remove(gone, by: 1)]).removed == [id(gone)])
            #expect(counted(both).introduced(by: id(gone)).isEmpty)
        }
        #expect(counted(both + [.remove(2, by: 1), .remove(3, by: 1)]).removed == [id(2), id(3), id(4)])
    }

    @Test("Machines that introduce one another go with the one that has introduced them")
    func accomplices() {
        let circle: [Stated] = [
            .add(1, by: 0), .add(2, by: 1), .add(3, by: 2), .add(4, by: 2), .add(3, by: 4), .add(4, by: 3),
        ]
        #expect(counted(circle + [.remove(2, by: 1)]).removed == [id(2), id(3), id(4)])
        #expect(counted(circle).introduced(by: id(2)) == [id(3), id(4)])
    }

    @Test("A machine that a removal keeps stays when another one that has introduced it, or its sponsor, is removed")
    func kept() {
        let retired: [Stated] = [
            .add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 2), .remove(1, by: 2, keeping: [2, 3]),
            .remove(2, by: 3, keeping: [4]),
        ]
        for again in [4, 2, 1] {
            let end = counted(retired + [.add(again, by: 3), .add(5, by: 3), .add(3, by: 5), .remove(3, by: 4)])
            #expect(end.removed == [id(1), id(2), id(3), id(5)])
        }
    }

    @Test("One that another has introduced as a recovery key is the machine that it is")
    func machineOrKey() {
        let circle: [Stated] = [.add(1, by: 0), .add(2, by: 1), .add(3, by: 1, isKey: true)]
        let end = counted([.add(2, by: 3, isKey: true)] + circle + [.add(3, by: 2)])
        #expect(end.members[id(2)]?.isRecoveryKey == false && end.recoveryKey(id(3)) != nil)
    }

    @Test("What is forgotten to make room changes nothing of who is in")
    func room() {
        let circle: [Stated] = [.add(1, by: 0), .add(2, by: 1), .add(3, by: 1), .add(4, by: 2)]
        let again = (1...4).filter { $0 != 3 }.map { Stated.add($0, by: 3) } + (5...9).map { Stated.add($0, by: 3) }
        var end = counted(circle + again + [.remove(3, by: 1)])
        let before = end.removed
        end.forgetRemoved(keeping: [])
        // The author of the removal stays by whomever it was introduced.
        let chains = end.introductions.filter { $0.key != id(1) }
        #expect(end.members.count == 4 && chains.values.allSatisfy { $0.count == 1 })
        #expect(end.removed == [id(3)] && before.intersection(end.members.keys) == end.removed)
    }
}
