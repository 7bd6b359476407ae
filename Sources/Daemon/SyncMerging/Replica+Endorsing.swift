package import SyncFormat

extension Replica {
    /// How many of a member's endorsements are kept. They ascend, so that the last ones matter.
    private static var keptEndorsements: Int { 16 }

    mutating func announce(_ record: SyncRecord, at place: SyncRecord.Origin) {
        guard let head = logs[place.device], let manifest = record.withBody({ try? SnapshotManifest(decoding: $0) })
        else { return }
        let previous = head.marks[place.seq - 1]?.hash ?? .none
        let position = SyncPosition(device: place.device, seq: place.seq, hash: head.hash.short)
        guard let announced = Announced(manifest, in: position, after: previous) else { return }
        snapshots[place.device] = announced
    }

    mutating func endorse(_ position: SyncPosition, by member: MemberID) {
        endorsements[member] = (endorsements[member] ?? []).suffix(Self.keptEndorsements - 1) + [position]
    }

    /// Whether a member has endorsed a snapshot.
    package func hasEndorsed(_ member: MemberID, _ position: SyncPosition) -> Bool {
        endorsements[member]?.contains(position) == true
    }

    /// The members whose word a snapshot still lacks before logs are discarded: all machines that are in.
    package func unendorsed(_ announced: Announced) -> [MemberID] {
        membership.machines.filter { member in
            member != announced.position.device && !hasEndorsed(member, announced.position)
        }
    }

    /// Keeps the last snapshot that every member has endorsed, and trusts the one that this machine has started from
    /// when the member has endorsed it that it has paired with.
    mutating func noticeEndorsements(_ keys: any CircleKeys) {
        let split = doubtfulLogs
        for (_, announced) in snapshots.sorted(by: { $0.key < $1.key }) where isEndorsed(announced) {
            if covered.map({ announced.covers($0, besides: split) }) ?? true { covered = announced }
        }
        if !isTrusted, hasItsIntroducersWord { trust(keys) }
    }

    /// Trusts the snapshot that this machine has started from. Its keys count all that was stated from now on.
    mutating func trust(_ keys: any CircleKeys) {
        isTrusted = true
        remind(keys)
    }

    private func isEndorsed(_ announced: Announced) -> Bool {
        if rules.everyMemberEndorses { return unendorsed(announced).isEmpty }
        return announced.position.device == me || hasEndorsed(me, announced.position)
    }

    /// Whether a newcomer could start on this machine's word. It could not if logs are gone and this machine has not
    /// endorsed the snapshot that covers them, because it has started from another one.
    package var mayIntroduce: Bool {
        isStarted && (base == nil || covered.map { $0.position.device == me || hasEndorsed(me, $0.position) } ?? false)
    }

    /// How far logs may be discarded by this machine: its own, and those of removed members.
    package var discardable: [MemberID: UInt64] {
        guard let covered else { return [:] }
        var ends: [MemberID: UInt64] = [:]
        for device in membership.removed.union([me]) { ends[device] = covered.end(of: device) }
        for device in splitLogs where isPassedOn(device, in: covered) { ends[device] = logs[device]?.seq }
        return ends.filter { $0.value > 0 }
    }

    /// Whether a snapshot has what a split log states and holds: it covers the removal of its author. A member that has
    /// not endorsed such a one may have to read the log.
    private func isPassedOn(_ device: MemberID, in snapshot: Announced) -> Bool {
        let split = splitLogs
        return membership.cuts.contains { removal, cut in
            cut.contains(device) && !split.contains(removal.place.device) && snapshot.covers(removal.place)
        }
    }

    /// Whether the transport may have a log no longer. Those that did not know of a newcomer yet may have had all words
    /// for a snapshot before this machine, so that each counts that is known.
    func mayBeGone(_ device: MemberID, upTo seq: UInt64) -> Bool {
        guard membership.removed.contains(device) else { return false }
        let known = [covered, base].compactMap(\.self) + snapshots.values
        if splitLogs.contains(device) {
            return known.contains { isPassedOn(device, in: $0) }
        }
        return known.contains { seq <= $0.end(of: device) ?? 0 }
    }
}

// MARK: - Newcomers

extension Replica {
    /// Whether the member that this machine has paired with has made or endorsed the snapshot that it has started from.
    ///
    /// A machine that has paired with nobody was added by its code or adds itself with a recovery key. It takes the
    /// word of the member that has added it, or of all that are in whose logs the snapshot covers. If several have
    /// added it, it takes the word of them all: nothing tells the one whose user has entered the code.
    var hasItsIntroducersWord: Bool {
        guard let base else { return false }
        if let introducer { return isGiven(base, theWordOf: introducer) }
        let sponsors = membership.sponsors(of: me)
        let others = membership.machines.filter { $0 != me && base.end(of: $0) ?? 0 > 0 }
        return !sponsors.isEmpty && sponsors.allSatisfy { isGiven(base, theWordOf: $0) }
            || !others.isEmpty && others.allSatisfy { isGiven(base, theWordOf: $0) }
    }

    func isGiven(_ snapshot: Announced, theWordOf member: MemberID) -> Bool {
        membership.machines.contains(member)
            && (snapshot.position.device == member || hasEndorsed(member, snapshot.position))
    }

    /// Whether this machine can still start from a snapshot, and decides so at the end of a look: nobody has added it
    /// as far as it has read, or it has not read all that its sponsor names. Batches that follow may be gone by then.
    package var mayStart: Bool {
        let isSilent = logs[me]?.seq ?? 0 == 0 && outgoing == nil && queued.isEmpty
        return isFresh || isSilent && (membership.members[me] == nil || !hasCaughtUp)
    }

    /// Whether a newcomer has read all that its sponsor names, or one of several. When all of these are out, their
    /// words are forgotten, and those of all others stand for them. The newcomer says nothing before: another snapshot
    /// may be needed.
    var hasCaughtUp: Bool {
        guard logs[me]?.seq ?? 0 == 0, membership.introductions[me] != nil else { return true }
        let sponsors = membership.sponsors(of: me)
        if sponsors.isEmpty { return claims.keys.allSatisfy(hasEnded) }
        return sponsors.contains { sponsor in
            claims.allSatisfy { device, claims in claims[sponsor] == nil || hasEnded(device) }
        }
    }

    /// Whether this machine belongs to the circle, has read what its sponsor has read, and trusts it.
    package var isStarted: Bool { membership.members[me] != nil && isTrusted && hasCaughtUp }
}
