import KeychainEngine
import KeychainModel
import KeychainStore
import SyncFormat
import SyncMerging

/// Versions that lose, and what was lost with them.
///
/// The author of a version has known the one that it was made from, those before that, and its own. A stamp alone says
/// nothing: a member in wrong hands can name a later version that nobody has. So each step is looked for among the
/// versions that are here. A version that is between two others may come last, and ends what looked like a conflict.
extension StoredRows {
    /// A version that has lost to another.
    struct Loser {
        let row: SyncRow
        let rid: RecordID
        /// The stamp of the version that it was made from, 0 for none.
        let base: UInt64
        let winner: SyncRow
        /// The same of the winner.
        let winnersBase: UInt64
        /// Whether it is what the store has.
        let wasThere: Bool

        /// Whether the winner's author had known it; nil where that is for the versions between them to say.
        fileprivate var wasKnown: Bool? {
            if row.stamp.device == winner.stamp.device { return true }
            if row.isDirty || row.stamp.hlc > winnersBase { return false }
            return row.stamp.hlc == winnersBase ? true : nil
        }

        fileprivate func lost(wasKnown: Bool) -> LostVersion {
            let conflict = LostVersion.Conflict(
                loser: row.stamp.device.bytes, won: winner.stamp.hlc, stamp: row.stamp.hlc)
            return LostVersion(winner: winner.stamp.device.bytes, base: base, conflict: wasKnown ? nil : conflict)
        }
    }

    /// Says of each loser whether its change is lost.
    func judged(_ work: Work) throws(Refusal) -> [(loser: Loser, lost: LostVersion)] {
        let isUnclear = work.losers.contains { $0.wasKnown == nil }
        let bases = isUnclear ? try bases(work) : [:]
        return work.losers.map { loser in
            let wasKnown = loser.wasKnown ?? bases[loser.rid]?.contains(loser.row.stamp.hlc) ?? false
            return (loser, loser.lost(wasKnown: wasKnown))
        }
    }

    /// The versions that others were made from, as far as these are here.
    private func bases(_ work: Work) throws(Refusal) -> [RecordID: Set<UInt64>] {
        var found: [RecordID: Set<UInt64>] = [:]
        for loser in work.losers { found[loser.rid, default: []].insert(loser.base) }
        let rids = Dictionary(found.keys.compactMap { rid in places[rid].map { ($0, rid) } }) { first, _ in first }
        for loser in try work.access.items.tables.reader.losers() {
            if let rid = rids[loser.place] { found[rid]?.insert(loser.lost.base) }
        }
        return found
    }

    /// Whether an item was changed or deleted when a version of it lost. A tombstone that comes deletes it, unless the
    /// item is there under another name. One that was here already was made from the version that it names.
    func end(of loser: Loser, _ work: Work) -> VersionEnd {
        let isNamed = loser.wasThere || loser.row.stamp.hlc == loser.winnersBase
        let isRenamed = work.names.contains { $0.previous == loser.rid }
        return loser.winner.isTombstone && isNamed && !isRenamed ? .deleted : .changed
    }

    // MARK: - What is lost no more

    /// Ends the conflicts of items of which a version has come that was made knowing what was lost, or that says the
    /// same.
    mutating func settle(_ work: Work, _ lost: [LostVersion]) throws(Refusal) {
        for (loser, lost) in zip(work.losers, lost) where lost.conflict != nil {
            if let place = places[loser.rid] { disputed.insert(place) }
        }
        let rids = Set(work.losers.map(\.rid)).union(work.arrived)
        let found = Dictionary(
            rids.compactMap { rid in places[rid].map { ($0, rid) } }.filter { disputed.contains($0.0) }
        ) { first, _ in first }
        guard !found.isEmpty else { return }
        var left: Set<RecordPlace> = []
        for loser in try work.access.items.tables.reader.losers() {
            guard let rid = found[loser.place], let conflict = loser.lost.conflict else { continue }
            var isOver = hasSuccessor(conflict, rid, work)
            if !isOver, work.arrived.contains(rid) { isOver = try work.access.items.isThere(loser) }
            if isOver { try work.access.items.tables.settle(loser) } else { left.insert(loser.place) }
        }
        disputed.subtract(Set(found.keys).subtracting(left))
    }

    /// Whether a version has come that was made from a lost one, or by its author before that knew the winner.
    private func hasSuccessor(_ conflict: LostVersion.Conflict, _ rid: RecordID, _ work: Work) -> Bool {
        var versions = work.losers.filter { $0.rid == rid }.map { (stamp: $0.row.stamp, base: $0.base) }
        if work.arrived.contains(rid), let row = all[rid] { versions.append((row.stamp, base(of: row, rid))) }
        return versions.contains { version in
            guard version.stamp.hlc > conflict.stamp else { return false }
            return version.base == conflict.stamp
                || version.stamp.device.bytes == conflict.loser && version.base < conflict.won
        }
    }
}
