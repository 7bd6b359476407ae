package import SyncFormat

// A newcomer keeps all batches of a look back, and reads at its end. Where the transport has the beginning of each log
// it reads these. Otherwise it starts from a snapshot, before it has merged anything.

extension Replica {
    /// Whether a member's log is gone in part: nothing of it was read, and it has signed what waits. Anybody can write
    /// other batches, before and behind it.
    ///
    /// A log whose beginning may be gone is one that others have read and named. A member in wrong hands that writes
    /// nothing but a batch far ahead keeps nobody out by it, once a machine knows who has added it.
    package func lacksBeginnings(_ keys: any CircleKeys) -> Bool {
        let isNew = membership.members[me] == nil
        let isLacking = membership.members.contains { device, member in
            let isRead = named[device] ?? 0 > 0 || isNew && !membership.removed.contains(device)
            guard isRead, !member.isRecoveryKey, logs[device]?.seq ?? 0 == 0 else { return false }
            return (waiting[device] ?? [:]).contains { seq, batches in
                seq > 1 && batches.contains { keys.isSignature($0.signature, of: $0.signed, by: member.keys.signing) }
            }
        }
        return isLacking || mayLackBeginnings
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
