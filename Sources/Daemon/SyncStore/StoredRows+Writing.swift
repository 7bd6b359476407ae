import KeychainEngine
import KeychainModel
import KeychainStore
import SyncFormat
import SyncMerging

extension StoredRows {
    /// Does in the store what merging has done.
    mutating func apply() throws(Refusal) {
        guard let work else { return }
        if let failure = work.failure { throw failure }
        let losers = try judged(work)
        for (loser, lost) in losers where loser.wasThere {
            guard let place = places[loser.rid] else { continue }
            let winner = lost.conflict.flatMap { _ in all[loser.rid]?.record.item }
            try work.access.items.keepVersion(at: place, end(of: loser, work), lost: lost, to: winner)
        }
        try remove(work)
        try putArrived(work)
        for (loser, lost) in losers where !loser.wasThere {
            guard let item = loser.row.record.item else { continue }
            try work.access.items.keepVersion(unstored: item, end(of: loser, work), lost: lost)
        }
        try settle(work, losers.map(\.lost))
        for (taker, previous) in work.names {
            guard let taker = places[taker], let previous = places[previous], let new = taker.itemClass,
                let old = previous.itemClass
            else { continue }
            try work.access.items.giveName(of: previous.primaryKey, to: taker.primaryKey, (old, new))
        }
        try noteVersions(work)
    }

    private func remove(_ work: Work) throws(Refusal) {
        for (rid, before) in work.before where all[rid] == nil && before.row?.isTombstone == true {
            guard let place = places[rid] else { continue }
            if let itemClass = place.itemClass {
                try work.access.items.remove(place.primaryKey, of: itemClass)
            } else if let shelf = place.shelf {
                try work.access.items.removeTombstone(of: shelf)
            }
        }
    }

    /// Deletions come first: an item may take the name of one that is gone.
    private func putArrived(_ work: Work) throws(Refusal) {
        let rows = work.arrived.compactMap { rid in all[rid].map { (rid, $0) } }
            .sorted { ($0.1.order, $0.0) < ($1.1.order, $1.0) }
        let items = rows.compactMap { $0.1.record.item }
        try work.access.items.prepareKeys(for: items)
        for item in items { try work.access.items.put(item) }
        for (_, row) in rows { try putShelf(row.record, work) }
    }

    private func putShelf(_ record: SyncRecord, _ work: Work) throws(Refusal) {
        if let shelf = record.travellingShelf { try work.access.items.put(shelf) }
        if record.isDeletedShelf, let id = record.shelfID { try work.access.items.delete(id) }
    }

    private func noteVersions(_ work: Work) throws(Refusal) {
        let renamed = Set(work.names.flatMap { [$0.taker, $0.previous] })
        for (rid, before) in work.before {
            guard let row = all[rid], let place = places[rid] else { continue }
            let isSame = before.row.map { $0.stamp == row.stamp && $0.place == row.place } ?? false
            guard !isSame || work.arrived.contains(rid) || renamed.contains(rid) else { continue }
            try work.access.items.tables.noteRecord(
                at: place, stamp: Int64(row.stamp.hlc), isDirty: row.isDirty, origin: origin(of: row, rid),
                ties: ties(of: row, rid, work))
        }
        try work.access.items.tables.noteSent(
            work.sent.compactMap { rid in
                guard let place = places[rid], let origin = notes[rid]?.origin else { return nil }
                return (place, origin)
            })
    }

    private func origin(of row: SyncRow, _ rid: RecordID) -> [UInt8]? {
        row.place.map { StoredOrigin(rid: rid, author: row.stamp.device, place: $0).bytes } ?? notes[rid]?.origin
    }

    /// As a version of another machine's says, or the store of one that is there.
    private func ties(of row: SyncRow, _ rid: RecordID, _ work: Work) -> (previous: [UInt8]?, base: Int64?) {
        let ties = work.arrived.contains(rid) ? row.record.ties : notes[rid]?.ties ?? .none
        return (ties.previous?.bytes, ties.base.map { Int64($0) })
    }
}
