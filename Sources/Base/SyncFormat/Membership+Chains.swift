// Chains of introductions. Of the chains of a member the best is known: one that no removal cuts; otherwise one that
// the fewest cut, and of these the first by its removals. It follows from all statements at once, and from no order.

extension Membership {
    /// Counts the effect of an introduction. A new member that has introduced nobody changes nobody else's chain.
    mutating func settle(introduced id: MemberID) {
        guard let all = introductions[id], all.count == 1, counted[id] == nil, let own = all.values.first,
            introductions[own.sponsor] != nil, !rerouted.contains(own.sponsor)
        else { return settle() }
        members[id] = own
        let cutting = cuts.filter { $0.key.target == id || cuts($0.key, $0.value, id, behind: own.sponsor) }.keys
        for removal in cutting { cut(id, by: removal) }
        // A sponsor that is out by no removal has no chain.
        if removed.contains(own.sponsor), !cuts.values.contains(where: { $0.contains(own.sponsor) }) {
            removed.insert(id)
        }
    }

    /// Whether a removal that cuts the chain of a sponsor cuts that of a member behind it, too.
    private func cuts(_ removal: Removal, _ out: Set<MemberID>, _ id: MemberID, behind sponsor: MemberID) -> Bool {
        rules.removalCutsIntroduced && out.contains(sponsor) && !removal.keeps(id)
    }

    /// Finds the best chains of all members, and who is out.
    mutating func settle() {
        let chains = Chains(self)
        rerouted = chains.rerouted
        // Members that have introduced one another alone have no chain.
        removed = Set(introductions.keys).subtracting(chains.best.keys)
        for removal in cuts.keys {
            cuts[removal] = []
            cut(removal.target, by: removal)
        }
        for (id, cutting) in chains.best {
            for number in cutting { cut(id, by: chains.removals[number]) }
        }
        members = [:]
        for (id, all) in introductions { members[id] = chains.end(id, all, removed) }
    }

    private mutating func cut(_ id: MemberID, by removal: Removal) {
        cuts[removal, default: []].insert(id)
        removed.insert(id)
    }

    /// The introductions in the chains of members that are in, and those of others by members that are in. Each has its
    /// sponsor here, up to the genesis: a chain without its beginning would seem to be cut by nothing.
    func lastingIntroductions() -> [MemberID: [MemberID: Member]] {
        let steps = Chains(self).steps
        var found = introductions.filter { removed.contains($0.key) }
            .mapValues { all in all.filter { !removed.contains($0.key) } }.filter { !$0.value.isEmpty }
        var (rest, followed): ([MemberID], Set<MemberID>) = (introductions.keys.filter { !removed.contains($0) }, [])
        while let id = rest.popLast() {
            guard followed.insert(id).inserted, let all = introductions[id] else { continue }
            let needed = all.filter { sponsor, _ in steps[id]?.contains(sponsor) == true || lasts(id, by: sponsor) }
            found[id, default: [:]].merge(needed) { $1 }
            rest += needed.keys
        }
        return found
    }

    /// Whether an introduction stays besides those of the best chains: by a member that is in, and of one that is in
    /// also by the target of a removal that keeps it.
    private func lasts(_ id: MemberID, by sponsor: MemberID) -> Bool {
        if removed.contains(id) { return !removed.contains(sponsor) }
        let isKept = cuts.keys.contains { $0.target == sponsor }
        return (isKept || !removed.contains(sponsor)) && isUncut(id, behind: sponsor)
    }

    /// Whether no removal that cuts the chain of a sponsor cuts that of a member behind it.
    private func isUncut(_ id: MemberID, behind sponsor: MemberID) -> Bool {
        cuts.allSatisfy { removal, out in !out.contains(sponsor) || removal.keeps(id) }
    }

    /// Those that are out by some of the removals alone.
    package func removed(by isMeant: (Removal) -> Bool) -> Set<MemberID> {
        var other = self
        other.cuts = cuts.filter { isMeant($0.key) }
        guard other.cuts.count < cuts.count else { return removed }
        other.settle()
        return other.removed
    }

    /// Members that the removal of a target removes if it keeps nobody.
    package func introduced(by target: MemberID) -> [MemberID] {
        var (after, found, rest): (Self, Set<MemberID>, [MemberID]) = (self, [], [target])
        after.remove(target, kept: [], at: SyncRecord.Origin(device: .none, seq: 1))
        let below = Dictionary(grouping: members.keys) { members[$0]?.sponsor ?? .none }
        while let one = rest.popLast() {
            if found.insert(one).inserted { rest += below[one] ?? [] }
        }
        return found.subtracting([target]).intersection(after.removed).sorted()
    }
}

// MARK: - What introductions say

extension Membership {
    /// The members that are in and have introduced a member.
    package func sponsors(of id: MemberID) -> Set<MemberID> {
        Set(introductions[id, default: [:]].keys).subtracting(removed)
    }

    /// A member that somebody has introduced as a recovery key: it may add machines, also where another has introduced
    /// it as a machine.
    package func recoveryKey(_ id: MemberID) -> Member? { introductions[id]?.values.first(where: \.isRecoveryKey) }
}

extension Membership.Removal {
    /// Whether the removal leaves a member where it is, and those behind it.
    func keeps(_ id: MemberID) -> Bool { kept.contains(id) || id == place.device && keepsItsAuthor }

    /// The order of removals, by which equally good chains are compared.
    fileprivate var key: [UInt8] { target.bytes + place.device.bytes + kept.sorted().flatMap(\.bytes) }
}

/// The best chain of each member, by the numbers of the removals that cut it.
private struct Chains {
    let removals: [Membership.Removal]
    private(set) var best: [MemberID: Set<Int>] = [:]
    /// The sponsors of each member by which its chain has got better, the last one of the best.
    private(set) var steps: [MemberID: [MemberID]] = [:]
    /// Members whose chains have got better: those behind them may go on from the chains of before.
    var rerouted: Set<MemberID> { Set(steps.filter { $0.value.count > 1 }.keys) }
    private var targeting: [MemberID: Set<Int>] = [:]
    private let known: Set<MemberID>
    private let isInherited: Bool

    /// Follows introductions from the genesis on, as long as a chain gets better.
    init(_ membership: Membership) {
        removals = membership.cuts.keys.map { ($0.key, $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
        (known, isInherited) = (Set(membership.introductions.keys), membership.rules.removalCutsIntroduced)
        for (number, removal) in removals.enumerated() { targeting[removal.target, default: []].insert(number) }
        var below: [MemberID: [MemberID]] = [:]
        for (id, introductions) in membership.introductions {
            for sponsor in introductions.keys { below[sponsor, default: []].append(id) }
        }
        var changed = Set(below.keys).subtracting(known)
        while !changed.isEmpty {
            var next: Set<MemberID> = []
            for sponsor in changed.sorted() {
                for id in (below[sponsor] ?? []).sorted() where follow(id, behind: sponsor) { next.insert(id) }
            }
            changed = next
        }
    }

    /// - Returns: whether the chain is better than the one that was known.
    private mutating func follow(_ id: MemberID, behind sponsor: MemberID) -> Bool {
        guard let cutting = cutting(id, behind: sponsor), best[id].map({ isBetter(cutting, $0) }) ?? true else {
            return false
        }
        best[id] = cutting
        steps[id, default: []].append(sponsor)
        return true
    }

    /// The removals that cut the best chain of a sponsor, continued. Before a beginning all was forgotten.
    private func cutting(_ id: MemberID, behind sponsor: MemberID) -> Set<Int>? {
        let beginning: Set<Int> = sponsor == .none ? [] : targeting[sponsor] ?? []
        guard let above = known.contains(sponsor) ? best[sponsor] : beginning else { return nil }
        let own = targeting[id] ?? []
        return isInherited ? own.union(above.filter { !removals[$0].keeps(id) }) : own
    }

    private func isBetter(_ one: Set<Int>, _ other: Set<Int>) -> Bool {
        if one.count != other.count { return one.count < other.count }
        return one != other && one.sorted().lexicographicallyPrecedes(other.sorted())
    }

    /// The introduction that ends the best chain. Of equally good ones that of a machine, and of a sponsor that is in.
    func end(_ id: MemberID, _ introductions: [MemberID: Membership.Member], _ removed: Set<MemberID>)
        -> Membership.Member?
    {
        func rank(_ member: Membership.Member) -> (Int, Int, MemberID) {
            (member.isRecoveryKey ? 1 : 0, removed.contains(member.sponsor) ? 1 : 0, member.sponsor)
        }
        return introductions.values.min { one, other in
            let ends = [one, other].map { cutting(id, behind: $0.sponsor) ?? Set(removals.indices) }
            return ends[0] == ends[1] ? rank(one) < rank(other) : isBetter(ends[0], ends[1])
        }
    }
}
