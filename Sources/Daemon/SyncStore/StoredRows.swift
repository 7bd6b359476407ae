import KeychainEngine
import KeychainModel
import KeychainStore
import LinuxSystem
package import SyncFormat
package import SyncMerging

/// The rows of a keychain as merging sees them, in one transaction of its store. Values are opened when they are
/// needed: those of changes that other machines have not got, and others where bodies are compared.
package struct StoredRows: RowTable {
    package private(set) var all: [RecordID: SyncRow] = [:]
    private let items: CircleItems
    private let me: MemberID
    /// Where rows are in the store.
    private var places: [RecordID: StoredPlace] = [:]
    /// The rows as they were at the beginning.
    private var before: [RecordID: SyncRow] = [:]
    private var origins: [RecordID: [UInt8]] = [:]
    /// Changes whose identifiers are not known: the class of the item is closed, or the record key is not there yet.
    private var unnamed: [StoredPlace: Unnamed] = [:]
    /// Items from before the circle.
    private var older: Set<RecordID> = []
    /// Versions of other machines that take their place.
    private var arrived: Set<RecordID> = []
    private var losers: [Loser] = []
    private var names: [(taker: RecordID, previous: RecordID)] = []
    private var failure: Refusal?

    private struct Loser {
        let row: SyncRow
        let rid: RecordID
        let wasThere: Bool
    }

    private struct Unnamed {
        let record: SyncRecord
        let isOlder: Bool
    }

    init(_ items: CircleItems, me: MemberID, _ keys: any CircleKeys) throws(Refusal) {
        (self.items, self.me) = (items, me)
        for itemClass in ItemClass.stored {
            for row in try items.tables.reader.circleRows(of: itemClass) { try add(row, keys) }
        }
        before = all
    }

    package subscript(rid: RecordID) -> SyncRow? {
        get { all[rid] }
        set { all[rid] = newValue }
    }

    package mutating func put(_ row: SyncRow, rid: RecordID) {
        all[rid] = row
        arrived.insert(rid)
        guard places[rid] == nil, let item = row.record.item else { return }
        places[rid] = place(of: item)
    }

    package mutating func keepLoser(_ row: SyncRow, rid: RecordID) {
        let isCurrent = all[rid]?.stamp == row.stamp
        losers.append(Loser(row: row, rid: rid, wasThere: isCurrent && !arrived.contains(rid)))
    }

    package mutating func takeName(_ rid: RecordID, from previous: RecordID) { names.append((rid, previous)) }

    // MARK: - What is in the store

    private mutating func add(_ row: CircleRow, _ keys: any CircleKeys) throws(Refusal) {
        let (place, origin) = (StoredPlace(row), row.origin.flatMap(StoredOrigin.init))
        guard row.isDirty || origin == nil else {
            guard let origin else { return }
            let version = SyncRow(
                record: row.bare(rid: origin.rid), stamp: SyncStamp(hlc: UInt64(row.stamp), device: origin.author),
                place: origin.place)
            return add(version, origin.rid, at: place, row.origin)
        }
        switch try items.item(row.primaryKey, of: row.itemClass) {
        case .nothing: return
        case .locked:
            let stamp = SyncStamp(hlc: UInt64(row.stamp), device: me)
            let record = row.bare(rid: origin?.rid ?? .none)
            guard let origin else { return unnamed[place] = Unnamed(record: record, isOlder: row.stamp == 0) }
            add(SyncRow(record: record, stamp: stamp, place: nil), origin.rid, at: place, row.origin)
        case .item(let item):
            let stamp = SyncStamp(hlc: row.stamp == 0 ? item.modified : UInt64(row.stamp), device: me)
            let record = SyncRecord(item, hlc: stamp.hlc)
            guard let rid = keys.recordID(of: record) else {
                return unnamed[place] = Unnamed(record: record, isOlder: row.stamp == 0)
            }
            if row.stamp == 0 { older.insert(rid) }
            add(SyncRow(record: record.with(rid: rid), stamp: stamp, place: nil), rid, at: place, row.origin)
        }
    }

    private mutating func add(_ row: SyncRow, _ rid: RecordID, at place: StoredPlace, _ origin: [UInt8]?) {
        (all[rid], places[rid], origins[rid]) = (row, place, origin)
    }

    /// A version of another machine's is about to meet what is here.
    ///
    /// An item from before the circle stays though somebody has deleted it there: joining deletes nothing.
    package mutating func meet(_ record: SyncRecord) {
        if let item = record.item, all[record.rid] == nil, !unnamed.isEmpty { name(item, record) }
        guard older.contains(record.rid), let row = all[record.rid], row.isDirty, !row.isTombstone,
            record.kind == SyncRecord.Kind.tombstone, record.hlc >= row.stamp.hlc,
            record.hlc + 1 < SyncLimits.endOfTime
        else { return }
        let stamp = SyncStamp(hlc: record.hlc + 1, device: me)
        all[record.rid] = SyncRow(record: row.record.with(hlc: stamp.hlc), stamp: stamp, place: nil)
    }

    private mutating func name(_ item: CircleItem, _ record: SyncRecord) {
        guard let place = place(of: item), let found = unnamed.removeValue(forKey: place) else { return }
        let named = found.record.with(rid: record.rid)
        let row = SyncRow(record: named, stamp: SyncStamp(hlc: named.hlc, device: me), place: nil)
        if found.isOlder { older.insert(record.rid) }
        add(row, record.rid, at: place, nil)
    }

    private mutating func place(of item: CircleItem) -> StoredPlace? {
        do throws(Refusal) {
            return StoredPlace(itemClass: item.itemClass, primaryKey: try items.primaryKey(of: item))
        } catch {
            note(error)
            return nil
        }
    }

    package mutating func load(_ wanted: RecordID?) -> Bool {
        for rid in wanted.map({ [$0] }) ?? Array(all.keys) {
            guard let row = all[rid], row.record.isBare, let place = places[rid] else { continue }
            do throws(Refusal) {
                guard case .item(let item) = try items.item(place.primaryKey, of: place.itemClass) else { continue }
                let record = SyncRecord(item, rid: rid, hlc: row.stamp.hlc)
                all[rid] = SyncRow(record: record, stamp: row.stamp, place: row.place)
            } catch { note(error) }
        }
        return failure == nil && !all.values.contains(where: \.record.isBare)
    }

    /// A failure of the store ends the transaction.
    private mutating func note(_ error: Refusal) { failure = failure ?? error }
}

// MARK: - Writing

extension StoredRows {
    /// Does in the store what merging has done.
    func apply() throws(Refusal) {
        if let failure { throw failure }
        for loser in losers where loser.wasThere {
            if let place = places[loser.rid] { try items.keepVersion(of: place.primaryKey, place.itemClass) }
        }
        try remove()
        try putArrived()
        for loser in losers where !loser.wasThere {
            if let item = loser.row.record.item { try items.keepVersion(lost: item) }
        }
        for (taker, previous) in names {
            guard let taker = places[taker], let previous = places[previous] else { continue }
            try items.giveName(
                of: previous.primaryKey, to: taker.primaryKey, (previous.itemClass, taker.itemClass))
        }
        try noteVersions()
    }

    private func remove() throws(Refusal) {
        for (rid, row) in before where all[rid] == nil && row.isTombstone {
            if let place = places[rid] { try items.remove(place.primaryKey, of: place.itemClass) }
        }
    }

    /// Deletions come first: an item may take the name of one that is gone.
    private func putArrived() throws(Refusal) {
        let rows = arrived.compactMap { rid in all[rid].map { (rid, $0) } }
        for (_, row) in rows.sorted(by: { ($0.1.isTombstone ? 0 : 1, $0.0) < ($1.1.isTombstone ? 0 : 1, $1.0) }) {
            if let item = row.record.item { try items.put(item) }
        }
    }

    private func noteVersions() throws(Refusal) {
        for (rid, row) in all {
            let isSame = before[rid].map { $0.stamp == row.stamp && $0.place == row.place } ?? false
            guard !isSame || arrived.contains(rid), let place = places[rid] else { continue }
            let origin = row.place.map { StoredOrigin(rid: rid, author: row.stamp.device, place: $0).bytes }
            try items.tables.noteRecord(
                place.primaryKey, of: place.itemClass, stamp: Int64(row.stamp.hlc), isDirty: row.isDirty,
                origin: origin ?? origins[rid])
        }
    }
}

/// Where a row is.
struct StoredPlace: Hashable {
    let itemClass: ItemClass
    let primaryKey: [UInt8]

    init(itemClass: ItemClass, primaryKey: [UInt8]) { (self.itemClass, self.primaryKey) = (itemClass, primaryKey) }
    init(_ row: CircleRow) { self.init(itemClass: row.itemClass, primaryKey: row.primaryKey) }
}

/// The version of a record that other machines have.
///
///     origin = rid:16 author:16 device:16 seq:u64
struct StoredOrigin {
    let rid: RecordID
    let author: MemberID
    let place: SyncRecord.Origin

    init(rid: RecordID, author: MemberID, place: SyncRecord.Origin) {
        (self.rid, self.author, self.place) = (rid, author, place)
    }

    init?(_ bytes: [UInt8]) {
        var reader = StateReader(bytes)
        guard let rid = try? reader.identifier(RecordID.self), let author = try? reader.identifier(MemberID.self),
            let place = try? reader.place(), (try? reader.finish()) != nil
        else { return nil }
        self.init(rid: rid, author: author, place: place)
    }

    var bytes: [UInt8] {
        StateWriter.bytes {
            $0.add(id: rid)
            $0.add(id: author)
            $0.add(place: place)
        }
    }
}

extension CircleRow {
    /// The record without its body.
    func bare(rid: RecordID) -> SyncRecord {
        SyncRecord(
            kind: isTombstone ? SyncRecord.Kind.tombstone : SyncRecord.Kind.item, itemClass: itemClass.rawValue,
            protection: accessibility.rawValue, rid: rid, hlc: UInt64(stamp), body: SecretBytes(count: 0))
    }
}
