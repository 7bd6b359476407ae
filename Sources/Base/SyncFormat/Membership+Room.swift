// A membership in little room.

extension Membership {
    /// Forgets what has no effect any more: generations that nothing may be sealed with, and members that are out with
    /// all their sponsors. Those stay that the chain of a member needs which is in. Of what removed members state,
    /// removals go of strangers and of those that are out anyway.
    ///
    /// - Parameter held: generations that stay. They keep no numbers, and their authors alone as recipients, and so are
    ///   good for no new batch.
    package mutating func forgetRemoved(keeping held: Set<GenerationID>) {
        for (id, made) in generations where !isEligible(id) {
            generations[id] = held.contains(id) ? retired(made) : nil
            sharedLate[id] = nil
        }
        forgetRemovals()
        introductions = lastingIntroductions()
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
}
