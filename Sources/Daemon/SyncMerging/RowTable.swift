package import SyncFormat

/// A record as this machine has it.
package struct SyncRow: Sendable {
    package let record: SyncRecord
    package let stamp: SyncStamp
    /// The batch that it came in: what a member must have read to know it. Nil while it is not published.
    package var place: SyncRecord.Origin?

    package init(record: SyncRecord, stamp: SyncStamp, place: SyncRecord.Origin?) {
        (self.record, self.stamp, self.place) = (record, stamp, place)
    }

    /// Not published.
    package var isDirty: Bool { place == nil }
    package var isTombstone: Bool { record.kind == SyncRecord.Kind.tombstone }
    /// Deletions are published before items.
    package var order: Int { isTombstone ? 0 : 1 }

    /// Whether this version wins over the other. Of equal stamps, which only a clone or an equivocator makes, a
    /// tombstone wins, then the larger bytes: it must be one of the two everywhere.
    func wins(over other: SyncRow, _ rules: MergeRules) -> Bool {
        if stamp != other.stamp { return other.stamp < stamp }
        return rules.equalStampsAreOrdered && other.precedes(self)
    }

    /// Whether both are the same version.
    func isSame(as other: SyncRow) -> Bool {
        stamp == other.stamp && record.kind == other.record.kind && record.itemClass == other.record.itemClass
            && record.protection == other.record.protection && !precedes(other) && !other.precedes(self)
    }

    private func precedes(_ other: SyncRow) -> Bool {
        if isTombstone != other.isTombstone { return other.isTombstone }
        if record.kind != other.record.kind { return record.kind < other.record.kind }
        return record.withCompared { mine in
            other.record.withCompared { other in
                for place in 0..<min(mine.count, other.count) where mine[place] != other[place] {
                    return mine[place] < other[place]
                }
                return mine.count < other.count
            }
        }
    }
}

/// The rows of a store. A change is part of the transaction that moves the positions.
///
/// A table may leave bodies in the store: its rows then have bare records (``SyncFormat/SyncRecord/isBare``).
package protocol RowTable {
    /// All rows, tombstones among them.
    var all: [RecordID: SyncRow] { get }
    /// Setting a row changes its stamp and its place, and not what it says.
    subscript(rid: RecordID) -> SyncRow? { get set }
    /// A version of another machine's is about to meet the row of its record.
    ///
    /// - Returns: false for one that is not taken, whatever its stamp is.
    mutating func meet(_ record: SyncRecord) -> Bool
    /// The rows that are not published, and those that are tombstones.
    var unpublished: Set<RecordID> { get }
    var tombstones: Set<RecordID> { get }
    /// Brings bodies of rows out of the store. A row that is no record of the circle goes, and one whose body cannot be
    /// read now stays bare.
    mutating func load(_ rids: [RecordID])
    /// Brings the bodies of all rows out of the store.
    ///
    /// - Returns: whether all are there.
    mutating func loadAll() -> Bool
    /// Puts in a version of another machine's.
    mutating func put(_ row: SyncRow, rid: RecordID)
    /// Keeps a version that has lost, for the user to bring back.
    mutating func keepLoser(_ row: SyncRow, rid: RecordID, to winner: SyncRow)
    /// A batch has versions of these rows, which other machines may have from now on.
    mutating func noteSent(_ rids: some Collection<RecordID>, in batch: SyncRecord.Origin)
    /// Lets a row take the local name of a deleted one, which programs refer to it by. No two rows have one name.
    mutating func takeName(_ rid: RecordID, from previous: RecordID)
}

// A table that has everything in memory.
extension RowTable {
    package mutating func meet(_ record: SyncRecord) -> Bool {
        all[record.rid].map { !$0.record.isOtherShelf(than: record) } ?? true
    }
    package mutating func load(_ rids: [RecordID]) {}
    package mutating func noteSent(_ rids: some Collection<RecordID>, in batch: SyncRecord.Origin) {}
    package mutating func loadAll() -> Bool { true }
    package var unpublished: Set<RecordID> { Set(all.filter(\.value.isDirty).keys) }
    package var tombstones: Set<RecordID> { Set(all.filter(\.value.isTombstone).keys) }
    package mutating func put(_ row: SyncRow, rid: RecordID) { self[rid] = row }
}
