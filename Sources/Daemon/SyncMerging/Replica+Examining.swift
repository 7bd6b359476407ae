package import SyncFormat

extension Replica {
    /// Compares the last snapshot of a member with what this machine has, and endorses it if it is true.
    ///
    /// It endorses no snapshot that does not cover the last one that it has endorsed: if some endorsed one of two and
    /// then the other, logs could be discarded so that a newcomer can start from neither. A snapshot of a removed
    /// member is as good as others: where the logs are gone, a newcomer may have to start from it, and none is made
    /// before all that are in know of the removal.
    ///
    /// - Parameter parts: all parts, as the transport has them.
    /// - Returns: whether it is endorsed with the next batch, or was before.
    package mutating func examine(_ parts: [[UInt8]], of author: MemberID, _ keys: any CircleKeys) -> Bool {
        guard let announced = snapshots[author], author != me, isTrusted, isOneHistory(announced), canCompare(keys)
        else { return false }
        let statement = SyncStatement.endorse(announced.position)
        if hasEndorsed(me, announced.position) || queued.contains(statement) { return true }
        if rules.endorsementsAscend, let pledged, !announced.covers(pledged, besides: doubtfulLogs) { return false }
        if rules.snapshotsAreExamined {
            guard let opened = OpenedSnapshot(announced, parts: parts, circle: circle, keys) else { return false }
            mendShelves(from: opened)
            guard rows.loadAll(), isTrue(opened) else { return false }
        }
        queued.append(statement)
        pledged = announced
        return true
    }
}

extension Replica {
    /// Takes the shelves out of a snapshot whose bodies cannot be read here any more. The id of a shelf is that of its
    /// keys, so that its author need not be believed. The version stays the one that this machine has read.
    private mutating func mendShelves(from opened: OpenedSnapshot) {
        let shelves = opened.rows.filter(\.record.isShelf)
        rows.load(shelves.map(\.record.rid))
        for theirs in shelves {
            let rid = theirs.record.rid
            guard let mine = rows[rid], mine.record.isShelf, mine.record.isBare, rows.meet(theirs.record) else {
                continue
            }
            let record = theirs.record.with(hlc: mine.stamp.hlc)
            rows.put(SyncRow(record: record, stamp: mine.stamp, place: mine.place), rid: rid)
        }
    }
}

extension Replica {
    /// The snapshots that this machine could endorse, once it has their parts: it has read all that they cover.
    package func worthExamining(_ keys: any CircleKeys) -> [Announced] {
        guard isTrusted, !snapshots.isEmpty, canCompare(keys) else { return [] }
        return snapshots.values.filter { announced in
            let author = announced.position.device
            let isSaid = hasEndorsed(me, announced.position) || queued.contains(.endorse(announced.position))
            guard author != me, !isSaid, isOneHistory(announced) else { return false }
            return pledged.map { announced.covers($0, besides: doubtfulLogs) } ?? true
                && areTrue(announced.manifest.logs)
        }.sorted { $0.position.device < $1.position.device }
    }

    /// Whether a snapshot is of a machine, perhaps a removed one, that has written one log, and not two. It was in
    /// as far as the snapshot says: nobody starts from one whose author is out in it.
    private func isOneHistory(_ announced: Announced) -> Bool {
        let author = announced.position.device
        return membership.members[author]?.isRecoveryKey == false && !doubtfulLogs.contains(author)
            && !membership.cuts.contains { $0.value.contains(author) && announced.covers($0.key.place) }
    }

    /// Whether this machine has not endorsed the snapshot that it has started from, and none since: perhaps it cannot,
    /// because tombstones are gone that would explain older versions there.
    private var hasGivenNoWord: Bool {
        guard let base, base.position == pledged?.position, base.position.device != me else { return false }
        return !hasEndorsed(me, base.position) && !queued.contains(.endorse(base.position))
    }

    /// Whether this machine is to make a snapshot.
    ///
    /// A machine that has given no word for one makes it earlier: at once, where nobody else who is in has either. A
    /// recovery key could start from none.
    ///
    /// - Parameter batches: after so many of its own since the last that it has made or endorsed.
    package func owesSnapshot(after batches: UInt64) -> Bool {
        guard let base, hasGivenNoWord else { return batchesSinceSnapshot >= batches }
        let isAlone = !membership.machines.contains { isGiven(base, theWordOf: $0) }
        return batchesSinceSnapshot >= min(batches, isAlone ? 1 : Self.earlyBatches)
    }

    /// A machine that has given no word makes a snapshot after so many batches.
    private static var earlyBatches: UInt64 { 8 }

    /// The batches that this machine has written since the last snapshot that it has made or endorsed.
    private var batchesSinceSnapshot: UInt64 {
        (logs[me]?.seq ?? 0) - min(logs[me]?.seq ?? 0, pledged?.end(of: me) ?? 0)
    }
}

// MARK: - Comparing

extension Replica {
    private func isTrue(_ opened: OpenedSnapshot) -> Bool {
        let announced = opened.announced
        return areTrue(announced.manifest.logs) && hasAllLogs(announced) && hasAllStatements(opened)
            && areKnown(opened.rows) && hasAllRows(opened)
    }

    /// Whether the logs of a snapshot were as it has them.
    private func areTrue(_ theirs: [SnapshotManifest.Log]) -> Bool {
        let doubtful = doubtfulLogs
        return theirs.allSatisfy { log in
            !doubtful.contains(log.device) && logs[log.device]?.covered(log.device, to: log.seq) == log
        }
    }

    /// Whether a snapshot has the log of each member that it has added.
    private func hasAllLogs(_ announced: Announced) -> Bool {
        let split = splitLogs
        return membership.members.allSatisfy { id, member in
            let isNoPartOfIt = member.isRecoveryKey || split.contains(id) || !announced.covers(member.place)
            return isNoPartOfIt || announced.end(of: id) != nil
        }
    }

    /// Whether the statements of a snapshot are those of the logs that it covers, and those that have added others.
    private func hasAllStatements(_ opened: OpenedSnapshot) -> Bool {
        let split = splitLogs
        let whole = Set(opened.stating.filter { !split.contains($0.header.device) }.map(\.carried))
        let introducing = Set(opened.stating.filter { split.contains($0.header.device) }.map(\.carried))
        let isOnce = opened.stating.count == whole.count + introducing.count
        guard isOnce, whole == Set(covered(upTo: opened.announced).map(\.carried)) else { return false }
        let known = Set(stating.filter { split.contains($0.header.device) }.map(\.carried))
        let needed = introductions().filter { announcesMember(of: opened.announced, $0) }
        return introducing.isSubset(of: known) && introducing.isSuperset(of: needed.map(\.carried))
    }

    /// Whether a batch has added somebody whose log a snapshot covers.
    private func announcesMember(of announced: Announced, _ batch: SyncBatch) -> Bool {
        membership.members.contains { $0.value.place == batch.place && announced.end(of: $0.key) != nil }
    }

    /// Whether each row of a snapshot is the one that is here, or an older one. Tombstones may have gone here.
    private func areKnown(_ theirs: [SyncRow]) -> Bool {
        let mine = Dictionary(grouping: rows.all.values + future.map(\.row)) { $0.record.rid }
        return theirs.allSatisfy { row in
            guard let own = mine[row.record.rid] else { return row.isTombstone && everyFloorIs(notBelow: row) }
            return own.contains { $0.isSame(as: row) && $0.hasPlace(of: row) || row.stamp < $0.stamp }
        }
    }

    /// Whether each row that is here and that a snapshot covers is there, or a later one that would not wait where this
    /// one does not. Tombstones may have gone there.
    private func hasAllRows(_ opened: OpenedSnapshot) -> Bool {
        let theirs = Dictionary(grouping: opened.rows) { $0.record.rid }
        return (rows.all.values + future.map(\.row)).allSatisfy { row in
            guard let place = row.place, opened.announced.covers(place) else { return true }
            let isThere = theirs[row.record.rid]?.contains { $0.isSame(as: row) || isLater($0, than: row) } == true
            return isThere || row.isTombstone && everyFloorIs(notBelow: row)
        }
    }

    private func isLater(_ other: SyncRow, than row: SyncRow) -> Bool {
        row.stamp < other.stamp && (isFarAhead(row, clock) || !isFarAhead(other, clock))
    }

    private func everyFloorIs(notBelow row: SyncRow) -> Bool {
        membership.machines.allSatisfy { floor(of: $0) >= row.stamp.hlc }
    }
}

extension SyncRow {
    /// Whether the place of a version is the same, or the version was passed on.
    fileprivate func hasPlace(of other: SyncRow) -> Bool {
        place?.device != stamp.device || place == other.place
    }
}
