package import SyncFormat

extension Replica {
    /// Removes the tombstones that nobody needs any more.
    ///
    /// It takes two steps. When every member has read a tombstone, each raises the floor that it states to its stamp:
    /// what it writes afterwards is above. When every member has stated such a floor, whatever comes later wins anyway,
    /// and whatever came before was read.
    ///
    /// - Returns: how many went.
    package mutating func collect() -> Int {
        guard !rules.everyMemberAcknowledges || isSettled() else { return 0 }
        // Records that wait may be older than a tombstone here, which everybody says to have read.
        guard held.isEmpty || !rules.heldRecordsDelayCollecting else { return 0 }
        let (machines, doubtful) = (membership.machines, rules.doubtfulTombstonesStay ? doubtfulLogs : [])
        var gone = 0
        for rid in rows.tombstones {
            guard let row = rows[rid], let place = row.place, !doubtful.contains(place.device),
                isRead(place, by: machines)
            else { continue }
            // Others have it waiting, and a floor there would take all later changes of this machine along.
            guard !rules.farFutureWaits || !isFarAhead(row, clock) else { continue }
            risenFloor = max(risenFloor, row.stamp.hlc)
            guard !rules.everyMemberAcknowledges || machines.allSatisfy({ floor(of: $0) >= row.stamp.hlc }) else {
                continue
            }
            rows[rid] = nil
            gone += 1
        }
        if risenFloor > myFloor { mustPublish = true }
        return gone
    }

    func floor(of member: MemberID) -> UInt64 { logs[member]?.floor ?? 0 }

    func isRead(_ place: SyncRecord.Origin, by machines: [MemberID]) -> Bool {
        if !rules.everyMemberAcknowledges { return true }
        return machines.allSatisfy { member in
            member == me || member == place.device || (logs[member]?.said[place.device] ?? 0) >= place.seq
        }
    }

    /// Whether the logs of all removed members have their end: everyone knows of the removal, and what was named is
    /// read.
    func isSettled() -> Bool {
        let gone = membership.removed.filter { membership.members[$0]?.isRecoveryKey != true }
        guard !gone.isEmpty else { return true }
        return gone.allSatisfy(isRead(toItsEnd:))
            && membership.machines.allSatisfy { $0 == me || gone.isSubset(of: removed(knownTo: $0)) }
    }

    /// Whether the log of a removed member is read as far as others name it, or this machine has noted. An
    /// equivocator's other batches come as versions that others pass on, and so do those of a machine that only another
    /// branch of its log has added.
    func isRead(toItsEnd gone: MemberID) -> Bool {
        if hasNote(of: gone) { return false }
        if membership.members[gone] == nil || doubted.contains(gone) { return true }
        return (logs[gone]?.seq ?? 0) >= named[gone] ?? 0
    }

    /// Those that are out by the removals that a member has read for certain.
    package func removed(knownTo member: MemberID) -> Set<MemberID> {
        let doubtful = rules.splitRemovalsInformNobody ? doubtfulLogs : []
        return membership.removed { removal in
            guard !doubtful.contains(removal.place.device) else { return false }
            // It may have read more while its removal was under way.
            if removal.place.device == member { return logs[member]?.seq ?? 0 > removal.place.seq }
            return (logs[member]?.said[removal.place.device] ?? 0) >= removal.place.seq
        }
    }
}
