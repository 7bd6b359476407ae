package import KeychainModel
import LinuxSystem

/// A record of the circle, with what the columns of its row say.
package struct CircleRow: Sendable {
    package let place: RecordPlace
    /// Whether the store has a record of the row. A shelf from before the circle has none, and one that stays.
    package let isRecorded: Bool
    /// 0 where the row is from before the circle.
    package let stamp: Int64
    /// Whether other machines have not got its last change.
    package let isDirty: Bool
    /// The version that other machines have, as synchronisation has written it; nil where they have none.
    package let origin: [UInt8]?
    /// The identifier of the record that the item was before it took another primary key; nil for none.
    package let previous: [UInt8]?
    /// The stamp of the version that this one was made from, of those that other machines may have; nil for none.
    package let base: Int64?
    package let accessibility: Accessibility
    package let isTombstone: Bool

    fileprivate init?(_ statement: Statement, _ recordClass: RecordClass) {
        guard let class8 = UInt8(exactly: statement.integer(5)), let accessibility = Accessibility(rawValue: class8)
        else { return nil }
        let place = RecordPlace(recordClass, primaryKey: statement.withBlob(0) { $0.array(0, $0.count) })
        // Nothing binds the id of a row: one that is none is no record.
        guard recordClass != .shelf || place.shelf != nil else { return nil }
        self.place = place
        stamp = Self.stamp(statement.integer(1))
        (isDirty, isRecorded) = (statement.integer(2) != 0, statement.integer(2) >= 0)
        origin = statement.isNull(3) ? nil : statement.withBlob(3) { $0.array(0, $0.count) }
        previous = statement.isNull(4) ? nil : statement.withBlob(4) { $0.array(0, $0.count) }
        self.accessibility = accessibility
        isTombstone = statement.integer(6) != 0
        base = statement.isNull(7) ? nil : Self.stamp(statement.integer(7))
    }
}

extension CircleRow {
    /// Nothing binds the numbers of a record.
    private static func stamp(_ number: Int64) -> Int64 { (0..<CircleTables.endOfTime).contains(number) ? number : 0 }
}

extension StoreReader {
    /// The records of a class in a store of a circle.
    package func circleRows(of itemClass: ItemClass) throws(Refusal) -> [CircleRow] {
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare(CircleTables.records(of: itemClass), "be searched")
        }
        var rows: [CircleRow] = []
        while try statement.next() { if let row = CircleRow(statement, .item(itemClass)) { rows.append(row) } }
        return rows
    }

    /// The shelves in a store of a circle, with those that stay on this machine, and the tombstones of shelves.
    package func circleShelves() throws(Refusal) -> [CircleRow] {
        var rows: [CircleRow] = []
        for isTombstone in [false, true] {
            let found = try refusing { () throws(DatabaseError) -> Statement? in
                let looking = isTombstone ? ShelfTable.lookingForTombstones : ShelfTable.looking
                guard try database.integer(looking, "be searched") != nil else { return nil }
                return try database.prepare(CircleTables.shelves(areTombstones: isTombstone), "be searched")
            }
            guard let statement = found else { continue }
            while try statement.next() { if let row = CircleRow(statement, .shelf) { rows.append(row) } }
        }
        return rows
    }

    /// How many shelves are marked that other machines have not got; none in a store of no circle.
    package func countMarkedShelves() throws(Refusal) -> Int {
        try refusing { () throws(DatabaseError) in
            guard try database.integer(CircleTables.looking, "be searched") != nil else { return 0 }
            return Int(try database.integer(CircleTables.markedShelves, "be counted") ?? 0)
        }
    }
}

extension StoreWriter {
    /// The record of one place, in the open transaction; nil where there is none that other machines may get.
    package func circleRow(at place: RecordPlace) throws(Refusal) -> CircleRow? {
        guard case .item(let itemClass) = place.recordClass else { return try circleShelf(at: place) }
        return try circleRow(at: place, .circleRow(itemClass))
    }

    private func circleShelf(at place: RecordPlace) throws(Refusal) -> CircleRow? {
        if try has(ShelfTable.looking), let row = try circleRow(at: place, .circleShelf(isTombstone: false)) {
            return row
        }
        return try has(ShelfTable.lookingForTombstones)
            ? try circleRow(at: place, .circleShelf(isTombstone: true)) : nil
    }

    private func circleRow(at place: RecordPlace, _ command: WriteStatement) throws(Refusal) -> CircleRow? {
        let statement = try statement(command)
        defer { statement.reset() }
        statement.bind(blob: place.primaryKey.span, at: 1)
        return try statement.next() ? CircleRow(statement, place.recordClass) : nil
    }

    /// Notes what other machines have of a record, in the open transaction.
    ///
    /// - Parameters:
    ///   - stamp: that of the version that is here.
    ///   - isDirty: whether it is another one than they have.
    ///   - origin: the version that they have.
    ///   - ties: the record that the version here says its item was before, and the stamp of the version that it was
    ///     made from.
    package func noteRecord(
        at place: RecordPlace, stamp: Int64, isDirty: Bool, origin: [UInt8]?, ties: (previous: [UInt8]?, base: Int64?)
    ) throws(Refusal) {
        records.note(at: place)
        let statement = try statement(.noteRecord)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(place.recordClass.number), at: 1)
            statement.bind(blob: place.primaryKey.span, at: 2)
            try statement.bind(integer: stamp, at: 3)
            try statement.bind(integer: isDirty ? 1 : 0, at: 4)
            if let origin { statement.bind(blob: origin.span, at: 5) }
            if let previous = ties.previous { statement.bind(blob: previous.span, at: 6) }
            if let base = ties.base { try statement.bind(integer: base, at: 7) }
            try statement.run()
        }
    }

    /// So many records are noted by one statement, at most.
    private static let sentAtOnce = 128

    /// Other machines may have versions of records from now on, of which they had none; in the open transaction.
    package func noteSent(_ records: [(place: RecordPlace, origin: [UInt8])]) throws(Refusal) {
        var rest = records[...]
        while !rest.isEmpty {
            // Few numbers of records have a statement, because each statement is compiled and kept.
            let count = min(1 << (Int.bitWidth - 1 - rest.count.leadingZeroBitCount), Self.sentAtOnce)
            try note(sent: rest.prefix(count))
            rest = rest.dropFirst(count)
        }
    }

    private func note(sent records: ArraySlice<(place: RecordPlace, origin: [UInt8])>) throws(Refusal) {
        let statement = try statement(.noteSent(records.count))
        try writing { () throws(DatabaseError) in
            var index: Int32 = 1
            for record in records {
                try statement.bind(integer: Int64(record.place.recordClass.number), at: index)
                statement.bind(blob: record.place.primaryKey.span, at: index + 1)
                statement.bind(blob: record.origin.span, at: index + 2)
                index += 3
            }
            try statement.run()
        }
    }

    /// The item at a place has taken this primary key in place of another one, in the open transaction. Its record says
    /// which one it was, so that other machines find the item by the references that programs have there.
    package func noteRename(of old: [UInt8], to new: RecordPlace) throws(Refusal) {
        guard isInCircle else { return }
        records.note(at: new)
        let statement = try statement(.noteRename)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(new.recordClass.number), at: 1)
            statement.bind(blob: old.span, at: 2)
            statement.bind(blob: new.primaryKey.span, at: 3)
            try statement.run()
        }
    }

    /// New records are above this from now on.
    package func raiseFloor(to floor: Int64) throws(Refusal) { try run(.raiseFloorTo, floor) }
}
