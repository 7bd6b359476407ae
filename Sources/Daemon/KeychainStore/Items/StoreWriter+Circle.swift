package import KeychainModel
import LinuxSystem

/// The writer's operations on the records of a circle (``CircleTables``).
extension StoreWriter {
    /// Marks the record of a row that was added or changed, in the same transaction. One that no longer leaves this
    /// device has none.
    func mark(_ row: NewRow) throws(Refusal) {
        guard isInCircle, row.isSynchronizable else { return }
        let place = RecordPlace(itemClass: row.itemClass, primaryKey: row.primaryKey)
        guard !row.accessibility.isThisDeviceOnly else { return try forgetRecord(place) }
        try mark(place, isTombstone: row.isTombstone)
    }

    /// Marks a record that is changed now.
    func mark(_ place: RecordPlace, isTombstone: Bool) throws(Refusal) {
        marks &+= 1
        records.note(at: place)
        let statement = try statement(.markRecord)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(place.recordClass.number), at: 1)
            statement.bind(blob: place.primaryKey.span, at: 2)
            try statement.bind(integer: clock(), at: 3)
            try statement.bind(integer: isTombstone ? 1 : 0, at: 4)
            try statement.run()
        }
    }

    /// Forgets the record of a row that is about to go.
    func forgetRecord(of id: Int64, in itemClass: ItemClass) throws(Refusal) {
        guard isInCircle else { return }
        records.noteAll()
        try forgetRecords(.row, of: .item(itemClass)) { (statement) throws(DatabaseError) in
            try statement.bind(integer: id, at: 1)
        }
    }

    /// Forgets the records of the items of a group, which are about to go from this machine alone.
    func forgetRecords(of group: ColumnDigest, in itemClass: ItemClass) throws(Refusal) {
        guard isInCircle else { return }
        records.noteAll()
        try forgetRecords(.group, of: .item(itemClass)) { statement in statement.bind(blob: group.span, at: 1) }
    }

    /// Forgets the record of a row that is gone, or is of this device alone from now on.
    package func forgetRecord(_ place: RecordPlace) throws(Refusal) {
        records.note(at: place)
        try forgetRecords(.key, of: place.recordClass) { statement in
            statement.bind(blob: place.primaryKey.span, at: 1)
        }
    }

    private func forgetRecords(
        _ forgotten: CircleTables.Forgotten, of recordClass: RecordClass,
        bind: (Statement) throws(DatabaseError) -> Void
    ) throws(Refusal) {
        let raising = try statement(.raiseFloor(forgotten, recordClass))
        let forgetting = try statement(.forgetRecords(forgotten, recordClass))
        try writing { () throws(DatabaseError) in
            try bind(raising)
            try raising.bind(integer: clock() + CircleTables.day, at: 2)
            try raising.run()
            try bind(forgetting)
            try forgetting.run()
        }
    }

    /// Begins to mark what changes, and marks the items that there are; nothing happens in a store that does so.
    package func enterCircle() throws(Refusal) {
        try transaction { () throws(Refusal) in
            guard !isInCircle else { return }
            records.noteAll()
            try execute(CircleTables.beginning)
        }
    }

    /// Ends it, and removes the tombstones, which nobody needs any more. No item is deleted.
    package func leaveCircle() throws(Refusal) {
        try transaction { () throws(Refusal) in
            guard isInCircle else { return }
            records.noteAll()
            try execute(CircleTables.end)
            try Tombstones(database, digester).remove()
        }
    }

    /// Takes the mark off a record that other machines have got, unless it has changed since.
    ///
    /// - Parameter stamp: that of the change they have got.
    package func settle(_ primaryKey: [UInt8], of itemClass: ItemClass, at stamp: Int64) throws(Refusal) {
        records.note(at: RecordPlace(itemClass: itemClass, primaryKey: primaryKey))
        let statement = try statement(.settleRecord)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(itemClass.rawValue), at: 1)
            statement.bind(blob: primaryKey.span, at: 2)
            try statement.bind(integer: stamp, at: 3)
            try statement.run()
        }
    }

    private func execute(_ statements: [String]) throws(Refusal) {
        try writing { () throws(DatabaseError) in
            for statement in statements { try database.execute(statement, "be written") }
        }
    }
}

extension StoreReader {
    /// Visits the rows whose records other machines have not got, in the order of their primary keys; none in a store
    /// of no circle.
    ///
    /// - Parameters:
    ///   - first: the primary key after which it begins; empty for all.
    ///   - visit: gets the row and the stamp of its change, 0 for a row from before the circle; false ends it.
    package func markedRows(
        of itemClass: ItemClass, after first: [UInt8], _ visit: (SealedRow, Int64) throws(Refusal) -> Bool
    ) throws(Refusal) {
        let found = try refusing { () throws(DatabaseError) -> Statement? in
            guard try database.integer(CircleTables.looking, "be searched") != nil else { return nil }
            return try database.prepare(CircleTables.marked(itemClass), "be searched")
        }
        guard let statement = found else { return }
        statement.bind(blob: first.span, at: 1)
        while try statement.next() {
            let stamp = statement.integer(RowCodes.width(of: itemClass))
            let isStamp = (0..<CircleTables.endOfTime).contains(stamp)
            let row = try SealedRow(statement, itemClass, digester: digester)
            guard row.isAuthentic, isStamp else { continue }
            guard try visit(row, stamp) else { return }
        }
    }
}
