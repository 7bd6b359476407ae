package import KeychainModel
import LinuxSystem

/// How many rows somebody has, and how many bytes their sealed parts.
package struct StoreUsage: Equatable, Sendable {
    package var items: Int64 = 0
    package var bytes: Int64 = 0

    package init(items: Int64 = 0, bytes: Int64 = 0) { (self.items, self.bytes) = (items, bytes) }
}

/// The writer's operations on groups as a whole, and on owners of rows.
extension StoreWriter {
    /// How much all have together, and how much the owner of the rows written now, as the open transaction sees it.
    package func usage() throws(Refusal) -> (all: StoreUsage, owner: StoreUsage) {
        let statement = try statement(.usage)
        defer { statement.reset() }
        if let owner { statement.bind(blob: owner.span, at: 1) }
        guard try statement.next() else { return (StoreUsage(), StoreUsage()) }
        return (
            StoreUsage(items: statement.integer(0), bytes: statement.integer(1)),
            StoreUsage(items: statement.integer(2), bytes: statement.integer(3))
        )
    }

    // MARK: - What is known of groups

    /// The sealed record of a group; nil when there is none.
    package func groupRecord(_ group: ColumnDigest) throws(Refusal) -> [UInt8]? {
        let statement = try statement(.groupRecord)
        defer { statement.reset() }
        statement.bind(blob: group.span, at: 1)
        return try statement.next() ? statement.withBlob(0) { $0.array(0, $0.count) } : nil
    }

    /// Everything that was kept about groups, by their digests.
    package func groupRecords() throws(Refusal) -> [(group: [UInt8], sealed: [UInt8])] {
        let statement = try statement(.groupRecords)
        defer { statement.reset() }
        var records: [(group: [UInt8], sealed: [UInt8])] = []
        while try statement.next() {
            records.append(
                (statement.withBlob(0) { $0.array(0, $0.count) }, statement.withBlob(1) { $0.array(0, $0.count) }))
        }
        return records
    }

    package func keep(groupRecord sealed: [UInt8], for group: ColumnDigest) throws(Refusal) {
        let statement = try statement(.keepGroupRecord)
        statement.bind(blob: group.span, at: 1)
        statement.bind(blob: sealed.span, at: 2)
        try writing { () throws(DatabaseError) in try statement.run() }
    }

    package func dropGroupRecord(_ group: ColumnDigest) throws(Refusal) {
        try run(.dropGroupRecord, on: group)
    }

    // MARK: - The rows of a group

    /// The next rows of a group after one row and up to another, a few hundred at most; tombstones are among them.
    package func rows(
        of group: ColumnDigest, in itemClass: ItemClass, after first: Int64, upTo last: Int64,
        _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let statement = try statement(.rowsOfGroup(itemClass))
        defer { statement.reset() }
        statement.bind(blob: group.span, at: 1)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: first, at: 2)
            try statement.bind(integer: last, at: 3)
        }
        while try statement.next() { try visit(SealedRow(statement, itemClass, digester: digester)) }
    }

    /// A few rows of a group, to learn its name from.
    package func someRows(
        of group: [UInt8], in itemClass: ItemClass, _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let statement = try statement(.firstOfGroup(itemClass))
        defer { statement.reset() }
        statement.bind(blob: group.span, at: 1)
        while try statement.next() { try visit(SealedRow(statement, itemClass, digester: digester)) }
    }

    /// The largest number of a row.
    package func lastRow(of itemClass: ItemClass) throws(Refusal) -> Int64 {
        let statement = try statement(.lastRow(itemClass))
        defer { statement.reset() }
        return try statement.next() ? statement.integer(0) : 0
    }

    /// How many items, without tombstones, a group has.
    package func countItems(of group: ColumnDigest, in itemClass: ItemClass) throws(Refusal) -> Int64 {
        let statement = try statement(.countOfGroup(itemClass))
        defer { statement.reset() }
        statement.bind(blob: group.span, at: 1)
        return try statement.next() ? statement.integer(0) : 0
    }

    /// The groups that have items, by their digests, and how many.
    package func countItemsOfGroups(
        in itemClass: ItemClass, _ visit: (_ group: [UInt8], _ items: Int64) -> Void
    ) throws(Refusal) {
        let statement = try statement(.groups(itemClass))
        defer { statement.reset() }
        while try statement.next() {
            visit(statement.withBlob(0) { $0.array(0, $0.count) }, statement.integer(1))
        }
    }

    /// Whether there are shelves: without them, nobody reads the files that they protect.
    package func hasShelves() throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in
            guard try database.integer(ShelfTable.looking, "be searched") != nil else { return false }
            return try database.integer("SELECT 1 FROM shelf LIMIT 1", "be searched") != nil
        }
    }

    /// Whether anything was ever stored, whatever has become of it: the first item of a class makes its metadata key.
    package func isUsed() throws(Refusal) -> Bool {
        if try hasShelves() { return true }
        let tables = ItemClass.stored.map(\.code) + ["metadatakeys", "quarantine"]
        let looking = tables.map { "SELECT 1 FROM \($0)" }.joined(separator: " UNION ALL ")
        return try refusing { () throws(DatabaseError) in
            try database.integer("\(looking) LIMIT 1", "be searched") != nil
        }
    }

    /// Removes a group's items for good; its tombstones stay.
    package func deleteItems(of group: ColumnDigest, from itemClass: ItemClass) throws(Refusal) {
        try forgetRecords(of: group, in: itemClass)
        try run(.deletionOfGroup(itemClass), on: group)
    }

    func run(_ command: WriteStatement, on digest: ColumnDigest) throws(Refusal) {
        let statement = try statement(command)
        statement.bind(blob: digest.span, at: 1)
        try writing { () throws(DatabaseError) in try statement.run() }
    }
}
