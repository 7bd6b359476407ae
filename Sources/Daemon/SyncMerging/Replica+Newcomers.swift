package import SyncFormat

// A newcomer keeps all batches of a look back, and reads at its end. Where the transport has the beginning of each log
// it reads these. Otherwise it starts from a snapshot, before it has merged anything.

extension Replica {
    /// Whether a member's log is gone in part: what follows is not here, and it has signed what waits behind that.
    /// Anybody can write other batches, before and behind it, and put old ones back.
    ///
    /// A log whose beginning may be gone is one that others have read and named. A member in wrong hands that writes
    /// nothing but a batch far ahead keeps nobody out by it, once a machine knows who has added it.
    ///
    /// - Parameter seesHoles: whether a log of which the beginning is here is looked at, too.
    package func lacksBeginnings(_ keys: any CircleKeys, seesHoles: Bool = true) -> Bool {
        let isLacking = membership.members.contains { device, member in
            guard mayLack(device, seesHoles: seesHoles), !member.isRecoveryKey else { return false }
            let next = (logs[device]?.seq ?? 0) + 1
            return (waiting[device] ?? [:]).contains { seq, batches in
                seq > next
                    && batches.contains { keys.isSignature($0.signature, of: $0.signed, by: member.keys.signing) }
            }
        }
        return isLacking || mayLackBeginnings
    }

    /// Whether more of a member's log should be here. Of a removed member a beginning is enough, once a machine knows
    /// who has added it: before that it may have read a removal that does not count. A machine with a recovery key
    /// takes what there is: nobody else may be left who could write the rest.
    private func mayLack(_ device: MemberID, seesHoles: Bool) -> Bool {
        let (head, isOut) = (logs[device]?.seq ?? 0, membership.removed.contains(device))
        let isNew = membership.members[me] == nil && !(isOut && addsItself)
        guard isNew || named[device] ?? 0 > head else { return false }
        if head == 0 { return true }
        guard seesHoles, !addsItself, isNew || !isOut else { return false }
        return waiting[device]?[head + 1] == nil && !doubted.contains(device)
    }

    /// Whether somebody's log is gone in part who may belong to the circle: a machine that was not added has time, and
    /// those that add others may still arrive.
    private var mayLackBeginnings: Bool {
        guard membership.members[me] == nil, !addsItself, waitingSize < Self.waitingBytes / 2 else { return false }
        return waiting.contains { membership.members[$0] == nil && ($1.keys.min() ?? 1) > 1 }
    }

    private var addsItself: Bool {
        queued.contains { if case .add(let own) = $0 { own.recoveryKey != .none } else { false } }
    }

    /// Whether all is here that a newcomer has to read, or else it starts from a snapshot. This reads what was kept
    /// back without counting it: where logs are gone in part, somebody may have put back some that say who was in
    /// then, and who was removed by a member that was out itself.
    package func hasAllLogs(now: UInt64, _ keys: any CircleKeys) -> Bool {
        // Where much waits, a hole may be what there was no room for: it comes with another look.
        let seesHoles = waitingSize < Self.waitingBytes / 2
        var trial = self
        // The keys take nothing but keys.
        trial.isTrusted = false
        trial.readAll(now: now, keys)
        return !trial.isFresh && !trial.lacksBeginnings(keys, seesHoles: seesHoles)
    }

    /// Reads what was kept back.
    ///
    /// - Parameter now: microseconds since 1970.
    package mutating func readAll(now: UInt64, _ keys: any CircleKeys) {
        keepsBack = false
        drain(now: now, keys)
    }

    /// Whether a newcomer that has started from a snapshot can stay with it: it is trusted, and all is read that the
    /// sponsor names. One that adds itself with a recovery key has no sponsor.
    ///
    /// Where it has paired with nobody, those who must vouch for the snapshot are known when everything is read.
    package var canStay: Bool {
        guard isTrusted, hasCaughtUp, introducer != nil || hasItsIntroducersWord else { return false }
        return membership.members[me] != nil || addsItself
    }

    /// Waiting batches that may announce a snapshot to start from: those that others have endorsed, first with the word
    /// of the introducer, then with that of most. The last ones are those whose predecessors are missing, for nobody
    /// else has endorsed the snapshot of a machine alone.
    package func startingPlaces(_ introducer: MemberID?, _ keys: any CircleKeys) -> [SyncRecord.Origin] {
        var words: [SyncRecord.Origin: Set<MemberID>] = [:]
        for (device, batches) in waiting {
            for seq in batches.keys where seq > 1 && isBeginning(batches, seq, keys) {
                words[SyncRecord.Origin(device: device, seq: seq), default: []].insert(device)
            }
            for case .endorse(let position) in batches.values.joined().flatMap(\.statements) {
                let place = SyncRecord.Origin(device: position.device, seq: position.seq)
                words[place, default: [place.device]].insert(device)
            }
        }
        func rank(_ place: SyncRecord.Origin) -> (Int, Int, UInt64) {
            let isTrusted = introducer.map { words[place]?.contains($0) == true } ?? false
            return (isTrusted ? 1 : 0, words[place]?.count ?? 0, place.seq)
        }
        return words.keys.filter { !announcements(at: $0).isEmpty }
            .sorted { rank($0) == rank($1) ? $0.device < $1.device : rank($0) > rank($1) }
    }

    /// Whether a batch at a place follows one that is not here.
    private func isBeginning(_ batches: [UInt64: [SyncBatch]], _ seq: UInt64, _ keys: any CircleKeys) -> Bool {
        let before = Set((batches[seq - 1] ?? []).map { keys.hash($0.signed) })
        return batches[seq]?.contains { !before.contains($0.header.previous) } == true
    }

    /// The batches with a sealed part that wait at a place.
    package func announcements(at place: SyncRecord.Origin) -> [SyncBatch] {
        (waiting[place.device]?[place.seq] ?? []).filter { $0.header.generation != .none }
    }
}
