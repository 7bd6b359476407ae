// A membership in little room.

extension Membership {
    /// Forgets what has no effect any more: generations that nothing may be sealed with, and members that are out with
    /// all their sponsors. Of what removed members state, removals go of strangers and of those that are out anyway. A
    /// member that such a sponsor introduces again is out again.
    ///
    /// - Parameter held: generations that stay. They keep no numbers, and their authors alone as recipients, and so are
    ///   good for no new batch.
    package mutating func forgetRemoved(keeping held: Set<GenerationID>) {
        for (id, made) in generations where !isEligible(id) {
            generations[id] = held.contains(id) ? retired(made) : nil
            sharedLate[id] = nil
        }
        forgetRemovals()
        let targets = Set(cuts.keys.map(\.target))
        for id in introductions.keys { forgetIntroductions(of: id, isTarget: targets.contains(id)) }
        counted = introductions.values.flatMap(\.keys).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        settle()
    }

    /// A generation that nothing may be sealed with keeps its authors that are in; where none is, one of the others.
    private func retired(_ made: Made) -> Made {
        let authors = made.allAuthors
        let present = authors.filter { members[$0] != nil && !removed.contains($0) }
        let lasting = present.isEmpty ? Set(authors.min().map { [$0] } ?? []) : present
        return Made(keysAlone: made.commitment, of: lasting, recipients: made.isSought ? [] : lasting)
    }

    private mutating func forgetRemovals() {
        let outAnyway = cuts.filter { !removed.contains($0.key.place.device) }.values
            .reduce(into: Set<MemberID>()) { $0.formUnion($1) }
        for (removal, cut) in cuts where removed.contains(removal.place.device) {
            if members[removal.target] == nil || cut.isSubset(of: outAnyway) { cuts[removal] = nil }
        }
    }

    /// Forgets chains that are cut: all of a member that is out, and those of another that it does not need.
    private mutating func forgetIntroductions(of id: MemberID, isTarget: Bool) {
        let all = introductions[id] ?? [:]
        if removed.contains(id) {
            if !isTarget, all.keys.allSatisfy(removed.contains) { introductions[id] = nil }
            return
        }
        introductions[id] = all.filter { sponsor, _ in
            cuts.allSatisfy { removal, cut in !cut.contains(sponsor) || removal.keeps(id) }
        }
    }
}
