import KeychainEngine
import KeychainModel
import KeychainStore
package import SyncFormat
import SyncMerging

/// Bringing rows out of the store. Those that other machines have are named there; the others are opened to be named.
extension StoredRows {
    /// So many items are opened at once.
    private static var openedAtOnce: Int { 128 }

    /// Reads all rows.
    init(_ items: CircleItems, me: MemberID, _ keys: any CircleKeys) throws(Refusal) {
        self.init(me: me)
        work = Work(access: Access(items: items, keys: keys))
        var rows: [CircleRow] = []
        for itemClass in ItemClass.stored { rows += try items.tables.reader.circleRows(of: itemClass) }
        rows += try items.tables.reader.circleShelves()
        try add(rows)
        let losers = try items.tables.reader.losers().filter { $0.lost.conflict != nil }
        disputed = Set(losers.map(\.place))
    }

    /// Goes on in another transaction, with the rows again that have changed meanwhile.
    mutating func begin(_ items: CircleItems, changed: Set<RecordPlace>, _ keys: any CircleKeys) throws(Refusal) {
        work = Work(access: Access(items: items, keys: keys))
        try read(changed.union(takeDoubtful()))
        // One of each kind says whether the others have names now.
        for places in Dictionary(grouping: unnamed.keys, by: { unnamed[$0]?.record.openness }).values {
            guard let first = places.first else { continue }
            try read([first])
            if unnamed[first] == nil { try read(places.dropFirst()) }
        }
    }

    private mutating func read(_ places: some Collection<RecordPlace>) throws(Refusal) {
        guard let access = work?.access, !places.isEmpty else { return }
        var rows: [CircleRow] = []
        for place in places {
            forget(place)
            if let row = try access.items.tables.circleRow(at: place) { rows.append(row) }
        }
        try add(rows)
    }

    private mutating func add(_ rows: [CircleRow]) throws(Refusal) {
        var closed: [CircleRow] = []
        for row in rows where !addNamed(row) { closed.append(row) }
        // A few keep their bodies for the batch that is about to be made.
        let isFew = closed.count <= Self.openedAtOnce
        for some in closed.runs(of: Self.openedAtOnce) { try open(some, keepingBodies: isFew) }
    }

    /// Adds a row whose record the store names.
    private mutating func addNamed(_ row: CircleRow) -> Bool {
        guard let bytes = row.origin, let origin = StoredOrigin(bytes), !row.isDirty || row.stamp > 0 else {
            return false
        }
        let stamp = SyncStamp(hlc: UInt64(row.stamp), device: row.isDirty ? me : origin.author)
        let version = SyncRow(
            record: SyncRecord(row, rid: origin.rid), stamp: stamp, place: row.isDirty ? nil : origin.place)
        add(version, origin.rid, at: row.place, RowNote(row))
        return true
    }

    private mutating func open(_ rows: [CircleRow], keepingBodies: Bool) throws(Refusal) {
        guard let access = work?.access else { return }
        var found: [(row: CircleRow, record: SyncRecord)] = []
        for (row, content) in zip(rows, try access.items.contents(of: rows.map(\.place))) {
            switch content {
            case .nothing, .stays: try unmark(row)
            case .locked: addClosed(try marked(row))
            case .body(let body):
                let row = try marked(row)
                let hlc = row.stamp == 0 ? body.modified : UInt64(row.stamp)
                found.append((row, body.record(hlc: hlc, RowNote(row).ties)))
            }
        }
        for (one, rid) in zip(found, access.keys.recordIDs(of: found.map(\.record))) {
            let record = keepingBodies ? one.record : one.record.bare
            guard let rid else {
                unnamed[one.row.place] = Unnamed(
                    record: one.record.bare, note: RowNote(one.row), isOlder: one.row.isOlder)
                continue
            }
            let stamp = SyncStamp(hlc: record.hlc, device: me)
            add(
                SyncRow(record: record.with(rid: rid), stamp: stamp, place: nil), rid, at: one.row.place,
                RowNote(one.row), isOlder: one.row.isOlder)
        }
    }

    /// Marks a shelf from before the circle, as if it was made now: when it was made, another machine has said. So a
    /// deletion from before is earlier, also one that comes when the shelf was sent. No history would have the shelf.
    private func marked(_ row: CircleRow) throws(Refusal) -> CircleRow {
        guard let shelf = row.place.shelf, !row.isTombstone, !row.isRecorded, let work else { return row }
        let tables = work.access.items.tables
        try tables.mark(shelf, isTombstone: false)
        return try tables.circleRow(at: row.place) ?? row
    }

    /// Takes the mark off a shelf that travels nowhere, so that nobody waits for its being sent.
    private func unmark(_ row: CircleRow) throws(Refusal) {
        guard row.place.shelf != nil, row.isDirty, row.isRecorded else { return }
        try work?.access.items.tables.forgetRecord(row.place)
    }

    private mutating func addClosed(_ row: CircleRow) {
        let (place, rid) = (row.place, row.origin.flatMap(StoredOrigin.init)?.rid)
        let record = SyncRecord(row, rid: rid ?? .none)
        guard let rid else {
            return unnamed[place] = Unnamed(record: record, note: RowNote(row), isOlder: row.isOlder)
        }
        let stamp = SyncStamp(hlc: UInt64(row.stamp), device: me)
        add(SyncRow(record: record, stamp: stamp, place: nil), rid, at: place, RowNote(row))
    }

    // MARK: - Bodies

    package mutating func load(_ rids: [RecordID]) {
        let closed = rids.filter { rid in all[rid]?.record.isBare == true && places[rid] != nil }
        do throws(Refusal) {
            for some in closed.runs(of: Self.openedAtOnce) { try bring(some) }
        } catch { note(error) }
    }

    package mutating func loadAll() -> Bool {
        load(Array(all.keys))
        return work?.failure == nil && !all.values.contains(where: \.record.isBare)
    }

    private mutating func bring(_ rids: [RecordID]) throws(Refusal) {
        guard let access = work?.access else { return }
        let places = rids.compactMap { self.places[$0] }
        var found: [(rid: RecordID, record: SyncRecord)] = []
        for (rid, content) in zip(rids, try access.items.contents(of: places)) {
            guard let row = all[rid] else { continue }
            switch content {
            case .locked: continue
            case .nothing: if row.isDirty, let place = self.places[rid] { forget(place) }
            // It is no record, whatever the store says of it.
            case .stays: if let place = self.places[rid] { forget(place) }
            case .body(let body):
                found.append((rid, body.record(hlc: row.stamp.hlc, notes[rid]?.ties ?? .none).with(rid: rid)))
            }
        }
        let names = access.keys.recordIDs(of: found.map(\.record))
        for (one, name) in zip(found, names) { bring(one.record, one.rid, named: name ?? one.rid) }
    }

    /// Puts a body in. The name of a change is what the item says, whatever the store does: nothing binds that.
    private mutating func bring(_ record: SyncRecord, _ rid: RecordID, named name: RecordID) {
        guard name != rid, let row = all[rid], row.isDirty, let place = places[rid] else {
            return replace(rid, with: record)
        }
        let note = notes[rid] ?? RowNote()
        forget(place)
        add(SyncRow(record: record.with(rid: name), stamp: row.stamp, place: nil), name, at: place, note)
    }
}

extension CircleRow {
    /// Whether it is from before the circle, as far as others know: a deletion there does not mean it.
    fileprivate var isOlder: Bool { stamp == 0 || place.shelf != nil && origin == nil }
}

extension SyncRecord {
    /// Records for which this is the same are all open or all closed. The class of a shelf is in its key, and its
    /// tombstone is always open.
    fileprivate var openness: [UInt8] { [kind, itemClass, protection] }
}

extension Array {
    /// The elements in their order, so many at a time.
    fileprivate func runs(of most: Int) -> [[Element]] {
        stride(from: 0, to: count, by: most).map { Array(self[$0..<Swift.min($0 + most, count)]) }
    }
}
