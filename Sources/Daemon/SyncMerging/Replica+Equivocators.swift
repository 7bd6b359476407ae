import SyncFormat

// The log of an equivocator is another one to each reader, so that its batches say nothing of what others have read.
// Nobody reads it further. When its author is removed, each member passes on the versions that it has from there and
// repeats the removals that only readers of its branch know.

extension Replica {
    /// The logs that are not the same to everyone: those of removed equivocators, and of those that went with them.
    var splitLogs: Set<MemberID> {
        doubted.reduce(into: []) { found, author in
            guard membership.removed.contains(author) else { return }
            let below = Set(membership.introduced(by: author)).intersection(membership.removed)
            found.formUnion(below.union([author]))
        }
    }

    /// Logs of which others may have read something else, also while their authors are in.
    var doubtfulLogs: Set<MemberID> { splitLogs.union(doubted) }

    /// Takes an author for an equivocator.
    ///
    /// - Parameter isStated: a counted statement says so, by which everyone does.
    mutating func doubt(_ author: MemberID, isStated: Bool) {
        if isStated { statedForked.insert(author) }
        guard doubted.insert(author).inserted else { return }
        if rules.splitRemovalsInformNobody { nameAgain(thoseRemovedBy: author) }
    }

    /// The word of a member counts until it is removed: nobody is taken for an equivocator on its word alone any more,
    /// and batches that nobody else has named are not waited for. A member in wrong hands can name what never was.
    /// A member that has read such a batch names it when it hears of the removal.
    mutating func forgetWordOfRemoved() {
        let gone = membership.removed
        for (device, named) in claims { claims[device] = named.filter { !gone.contains($0.key) } }
        for (device, left) in claims {
            named[device] = max(logs[device]?.seq ?? 0, left.filter { $0.key != me }.values.map(\.seq).max() ?? 0)
            if left.isEmpty { claims[device] = nil }
        }
        forks = forks.filter { $0.witness == $0.device || !gone.contains($0.witness) || gone.contains($0.device) }
        let proven = statedForked.union(forks.map(\.device)).union(gone)
        doubted.formIntersection(proven)
    }

    /// Hears the word of members again that are in by an introduction which came later than a removal.
    mutating func hear(_ returned: Set<MemberID>) {
        for author in returned {
            for (device, seq) in logs[author]?.said ?? [:] where !membership.removed.contains(device) {
                named[device] = max(named[device] ?? 0, seq)
            }
        }
    }

    /// Counts what all have named of those that an equivocator has removed: a member that has read another branch did
    /// not know of the removal.
    private mutating func nameAgain(thoseRemovedBy equivocator: MemberID) {
        for (removal, cut) in membership.cuts where removal.place.device == equivocator {
            for gone in cut {
                named[gone] = max(named[gone] ?? 0, logs.values.compactMap { $0.said[gone] }.max() ?? 0)
            }
        }
    }

    /// The versions from split logs and renewed deletions, as many as there is room for. When the batch with them is
    /// confirmed, that is their place: everyone reads it.
    func versionsToPassOn(besides dirty: [RecordID: SyncRow], _ keys: any CircleKeys) -> PassedVersions {
        let split = rules.equivocatorsArePassedOn ? splitLogs : []
        guard !split.isEmpty || !renewed.isEmpty else { return PassedVersions() }
        var (found, size) = (PassedVersions(), dirty.values.reduce(0) { $0 + $1.record.encodedSize })
        for (rid, row) in rows.all.sorted(by: { $0.key < $1.key }) {
            guard let place = row.place, !row.record.isBare, keys.isUnlocked || !row.record.needsBox else { continue }
            let isSplit = split.contains(place.device) && membership.removed.contains(row.stamp.device)
            guard isSplit || row.isTombstone && renewed.contains(rid) else { continue }
            size += row.record.encodedSize
            guard found.isEmpty && dirty.isEmpty || size <= SyncLimits.sealedBytes / 2 else { break }
            found.add(row.record, stamp: row.stamp, rid, place)
        }
        return found
    }

    /// Removals that a split log states, and those of members that it has added: others may know of neither. An
    /// equivocator's own removal is stated as such, because evidence does not reach everyone.
    ///
    /// None is repeated of those that nobody has introduced, and some of this machine's removals that count are left
    /// for its user: a member in wrong hands could remove as many strangers as it likes.
    func repeatedRemovals() -> [SyncStatement] {
        let split = rules.removalsAreRepeated && !isRemoved ? splitLogs : []
        let left = SyncLimits.removals - Self.removalsOfUser - membership.removals(by: me)
        guard !split.isEmpty, left > 0 else { return [] }
        let known = membership.cuts.filter { !split.contains($0.key.place.device) }
        let removed = known.values.reduce(into: Set<MemberID>()) { $0.formUnion($1) }
        let unknown = membership.cuts.filter { removal, cut in
            split.contains(removal.place.device) && membership.members[removal.target] != nil
                && !cut.isSubset(of: removed)
        }
        let targets = Set(known.keys.map(\.target)).union(unknown.keys.map(\.target))
        let added = membership.members.filter { split.contains($0.value.place.device) && !targets.contains($0.key) }
        let unsaid = doubted.intersection(membership.removed).subtracting(statedForked)
        let found =
            repetitions(for: unsaid, .forked)
            + unknown.keys.sorted { $0.order < $1.order }.compactMap { repetition(of: $0, for: $0.target, .user) }
            + repetitions(for: Set(added.keys).intersection(membership.removed), .user)
        return Array(found.prefix(left))
    }

    /// So many removals of each machine are left for its user.
    private static var removalsOfUser: Int { 64 }

    /// Removals of members that are out, each of which says no more than one by which the member is out.
    private func repetitions(for members: Set<MemberID>, _ reason: SyncStatement.Reason) -> [SyncStatement] {
        members.sorted().compactMap { member in
            let removals = inOrder(membership.cuts.filter { $0.value.contains(member) }.keys)
            let named = removals.filter { $0.target == member }
            return (named + removals).lazy.compactMap { repetition(of: $0, for: member, reason) }.first
        }
    }

    /// An enclave with little room forgets removals of authors that are out first.
    private func inOrder(_ removals: some Sequence<Membership.Removal>) -> [Membership.Removal] {
        func isOut(_ removal: Membership.Removal) -> Int { membership.removed.contains(removal.place.device) ? 1 : 0 }
        return removals.sorted {
            isOut($0) == isOut($1) ? $0.order < $1.order : isOut($0) < isOut($1)
        }
    }

    /// It keeps all that the removal keeps, also strangers, or the enclave would ask; nil where that is too many.
    private func repetition(
        of removal: Membership.Removal, for member: MemberID, _ reason: SyncStatement.Reason
    ) -> SyncStatement? {
        let kept = removal.keptByRepetition.union(removal.target == member ? [] : present(below: member))
        return kept.count > SyncLimits.kept ? nil : .remove(member, reason, kept: kept.sorted())
    }

    private func present(below member: MemberID) -> [MemberID] {
        membership.introduced(by: member).filter { !membership.removed.contains($0) }
    }
}

/// Versions of removed members that a batch carries, and the places that they have had.
struct PassedVersions {
    private(set) var records: [SyncRecord] = []
    private(set) var places: [RecordID: SyncRecord.Origin] = [:]
    var isEmpty: Bool { records.isEmpty }

    mutating func add(_ record: SyncRecord, stamp: SyncStamp, _ rid: RecordID, _ place: SyncRecord.Origin) {
        records.append(record.with(origin: SyncRecord.Origin(device: stamp.device, seq: place.seq)))
        places[rid] = place
    }
}

extension Membership.Removal {
    fileprivate var order: (MemberID, MemberID, UInt64) { (target, place.device, place.seq) }
}
