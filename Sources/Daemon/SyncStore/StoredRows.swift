import KeychainEngine
import KeychainModel
import KeychainStore
import LinuxSystem
package import SyncFormat
package import SyncMerging

/// The rows of a keychain as merging sees them. From one transaction of the store to the next they are in memory
/// without bodies; in a transaction, bodies are opened when they are needed: those of changes that are published, and
/// others where bodies are compared.
package struct StoredRows: RowTable {
    package private(set) var all: [RecordID: SyncRow] = [:]
    package private(set) var unpublished: Set<RecordID> = []
    package private(set) var tombstones: Set<RecordID> = []
    let me: MemberID
    /// Where rows are in the store, and which row is there.
    private(set) var places: [RecordID: RecordPlace] = [:]
    private var named: [RecordPlace: RecordID] = [:]
    private(set) var notes: [RecordID: RowNote] = [:]
    /// Changes whose identifiers are not known: the class of the item is closed, or the record key is not there yet.
    var unnamed: [RecordPlace: Unnamed] = [:]
    /// Items from before the circle.
    private(set) var older: Set<RecordID> = []
    /// Places of which a version has lost to a change whose author had not known it; others may be among them.
    var disputed: Set<RecordPlace> = []
    /// Places that are read again in the next transaction, whatever the store says of them.
    private var doubtful: Set<RecordPlace> = []
    /// The open transaction.
    var work: Work?

    /// An open transaction, and the keys that may be used in it.
    struct Access {
        let items: CircleItems
        let keys: any CircleKeys
    }

    /// The work of a transaction so far.
    struct Work {
        let access: Access
        /// The rows that have changed, as they were before.
        var before: [RecordID: Before] = [:]
        /// Versions of other machines that take their place.
        var arrived: Set<RecordID> = []
        var losers: [Loser] = []
        var names: [(taker: RecordID, previous: RecordID)] = []
        /// Rows that are in the outgoing batch, of which the store has to know that.
        var sent: Set<RecordID> = []
        /// Rows whose bodies may be here.
        var opened: Set<RecordID> = []
        /// How many more shelves of other machines the store takes; nil until one comes.
        var roomForShelves: Int64?
        /// A failure of the store ends the transaction.
        var failure: Refusal?
    }

    struct Before {
        let row: SyncRow?
    }

    struct Unnamed {
        /// Without its body.
        let record: SyncRecord
        let note: RowNote
        let isOlder: Bool
    }

    init(me: MemberID) { self.me = me }

    package subscript(rid: RecordID) -> SyncRow? {
        get { all[rid] }
        set {
            if work?.before[rid] == nil { work?.before[rid] = Before(row: all[rid]) }
            set(rid, newValue)
        }
    }

    private mutating func set(_ rid: RecordID, _ row: SyncRow?) {
        all[rid] = row
        if row?.isDirty == true { unpublished.insert(rid) } else { unpublished.remove(rid) }
        if row?.isTombstone == true { tombstones.insert(rid) } else { tombstones.remove(rid) }
        if row?.record.isBare == false { work?.opened.insert(rid) }
    }

    package mutating func put(_ row: SyncRow, rid: RecordID) {
        if row.record.isShelf, all[rid]?.record.isShelf != true { work?.roomForShelves? -= 1 }
        self[rid] = row
        work?.arrived.insert(rid)
        guard places[rid] == nil, let place = place(of: row.record) else { return }
        (places[rid], named[place]) = (place, rid)
    }

    package mutating func keepLoser(_ row: SyncRow, rid: RecordID, to winner: SyncRow) {
        let isCurrent = all[rid]?.stamp == row.stamp && work?.arrived.contains(rid) != true
        let loser = Loser(
            row: row, rid: rid, base: base(of: row, rid), winner: winner, winnersBase: base(of: winner, rid),
            wasThere: isCurrent)
        work?.losers.append(loser)
    }

    /// The stamp of the version that a row was made from. A row that is bare has what it says in the notes.
    func base(of row: SyncRow, _ rid: RecordID) -> UInt64 {
        (row.record.isBare ? notes[rid]?.ties : row.record.ties)?.base ?? 0
    }

    /// Neither becomes another version by that: both are noted again as they are.
    package mutating func takeName(_ rid: RecordID, from previous: RecordID) {
        for one in [rid, previous] where work?.before[one] == nil { work?.before[one] = Before(row: all[one]) }
        work?.names.append((rid, previous))
    }

    package mutating func noteSent(_ rids: some Collection<RecordID>, in batch: SyncRecord.Origin) {
        for rid in rids {
            let note = notes[rid] ?? RowNote()
            guard note.origin == nil || note.ties.previous != nil else { continue }
            notes[rid, default: note].origin = note.origin ?? StoredOrigin(rid: rid, author: me, place: batch).bytes
            work?.sent.insert(rid)
        }
    }

    // MARK: - What the store has

    /// Takes a row as the store has it.
    mutating func add(_ row: SyncRow, _ rid: RecordID, at place: RecordPlace, _ note: RowNote, isOlder: Bool = false) {
        set(rid, row)
        (places[rid], named[place], notes[rid]) = (place, rid, note)
        if isOlder { older.insert(rid) }
    }

    /// Forgets what was read at a place.
    mutating func forget(_ place: RecordPlace) {
        unnamed[place] = nil
        guard let rid = named.removeValue(forKey: place), places[rid] == place else { return }
        (places[rid], notes[rid]) = (nil, nil)
        older.remove(rid)
        set(rid, nil)
    }

    /// Puts a row's body in, or takes it away.
    mutating func replace(_ rid: RecordID, with record: SyncRecord) {
        if let row = all[rid] { set(rid, SyncRow(record: record, stamp: row.stamp, place: row.place)) }
    }

    /// Places to be read again.
    mutating func takeDoubtful() -> Set<RecordPlace> {
        defer { doubtful = [] }
        return doubtful
    }

    /// Ends the transaction: bodies go, and what has changed is read again in the next one.
    mutating func end() {
        guard let work else { return }
        self.work = nil
        for rid in work.opened { if let row = all[rid] { replace(rid, with: row.record.bare) } }
        for rid in work.before.keys {
            guard let place = places[rid] else {
                set(rid, nil)
                continue
            }
            doubtful.insert(place)
        }
    }

    // MARK: - What is about to meet

    /// A version of another machine's is about to meet what is here.
    ///
    /// An item from before the circle stays though somebody has deleted it there: joining deletes nothing.
    package mutating func meet(_ record: SyncRecord) -> Bool {
        if all[record.rid] == nil, !unnamed.isEmpty { name(record) }
        // One that is no record of the circle any more meets nobody.
        if all[record.rid]?.isDirty == true || record.isOfShelf { load([record.rid]) }
        guard mayMeet(record) else { return false }
        keepOlder(from: record)
        return true
    }

    /// Makes the change of an item from before the circle later than its deletion there.
    private mutating func keepOlder(from record: SyncRecord) {
        guard older.contains(record.rid), let row = all[record.rid], row.isDirty, !row.isTombstone,
            record.kind == SyncRecord.Kind.tombstone, record.hlc >= row.stamp.hlc,
            record.hlc + 1 < SyncLimits.endOfTime
        else { return }
        let stamp = SyncStamp(hlc: record.hlc + 1, device: me)
        self[record.rid] = SyncRow(record: row.record.with(hlc: stamp.hlc), stamp: stamp, place: nil)
    }

    private mutating func name(_ record: SyncRecord) {
        guard let place = place(of: record), let found = unnamed.removeValue(forKey: place) else { return }
        let named = found.record.with(rid: record.rid)
        let row = SyncRow(record: named, stamp: SyncStamp(hlc: named.hlc, device: me), place: nil)
        add(row, record.rid, at: place, found.note, isOlder: found.isOlder)
        doubtful.insert(place)
    }

    private mutating func place(of record: SyncRecord) -> RecordPlace? {
        if let shelf = record.shelfID { return RecordPlace(shelf) }
        do throws(Refusal) {
            guard let items = work?.access.items, let item = record.item else { return nil }
            return RecordPlace(itemClass: item.itemClass, primaryKey: try items.primaryKey(of: item))
        } catch {
            note(error)
            return nil
        }
    }

    mutating func note(_ error: Refusal) { if work?.failure == nil { work?.failure = error } }
}

/// The notes that the store has of a row, besides the version that is there.
struct RowNote: Equatable {
    /// The version that other machines have, as ``StoredOrigin`` writes it; nil where they have none.
    var origin: [UInt8]?
    /// The earlier versions that it names.
    let ties: SyncItem.Ties

    init(origin: [UInt8]? = nil, _ ties: SyncItem.Ties = .none) { (self.origin, self.ties) = (origin, ties) }

    init(_ row: CircleRow) {
        let previous = row.previous.flatMap(RecordID.init(stored:))
        self.init(origin: row.origin, SyncItem.Ties(previous: previous, base: row.base.map { UInt64($0) }))
    }
}

extension RecordID {
    fileprivate init?(stored bytes: [UInt8]) {
        guard bytes.count == Self.none.bytes.count else { return nil }
        self.init(bytes)
    }
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

extension SyncRecord {
    private static let noBody = SecretBytes(count: 0)

    /// The record without its body.
    var bare: SyncRecord { with(body: Self.noBody, isBoxed: false) }

    /// The record of a row, without its body.
    init(_ row: CircleRow, rid: RecordID) {
        guard let itemClass = row.place.itemClass else {
            self.init(bareShelf: row.isTombstone, rid: rid, hlc: UInt64(row.stamp))
            return
        }
        self.init(
            kind: row.isTombstone ? Kind.tombstone : Kind.item, itemClass: itemClass.rawValue,
            protection: row.accessibility.rawValue, rid: rid, hlc: UInt64(row.stamp), body: Self.noBody)
    }
}
