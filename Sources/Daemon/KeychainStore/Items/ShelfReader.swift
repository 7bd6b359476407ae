package import KeychainModel
import LinuxSystem

/// A shelf as it is stored: its record is sealed, and bound to the id.
package struct SealedShelf: Sendable {
    package let id: ShelfID
    package let sealed: [UInt8]

    package init(id: ShelfID, sealed: [UInt8]) { (self.id, self.sealed) = (id, sealed) }
}

/// A connection that finds shelves. Belongs to one thread at a time.
package final class ShelfReader {
    private let database: Database
    private var lookup: Statement?
    private var hasTable = false

    init(_ database: Database) { self.database = database }

    /// Whether the descriptors of the connection are still its own.
    package var hasItsDescriptors: Bool { database.hasItsDescriptors }

    /// Whether they are, and nobody has cut a file.
    package var hasItsWholeFiles: Bool { database.lookAtDescriptors() == .intact }

    /// The state of its descriptors and files, where they are not the ones that were opened.
    package var failureOfUse: Refusal? { database.failureOfUse }

    /// The shelf with this id; nil when there is none.
    package func shelf(_ id: ShelfID) throws(Refusal) -> SealedShelf? {
        guard try isThere() else { return nil }
        let statement = try preparedLookup()
        statement.bind(blob: id.bytes.span, at: 1)
        return try first(of: statement)
    }

    /// The shelves of a place, the oldest first, until `visit` answers false.
    package func shelves(
        at place: ColumnDigest, _ visit: (SealedShelf) throws(Refusal) -> Bool
    ) throws(Refusal) {
        guard try isThere() else { return }
        let statement = try prepare(ShelfTable.ofPlace)
        statement.bind(blob: place.span, at: 1)
        try self.visit(statement, visit)
    }

    /// The shelves behind an id, in the order of their ids, until `visit` answers false.
    package func shelves(
        after id: ShelfID?, _ visit: (SealedShelf) throws(Refusal) -> Bool
    ) throws(Refusal) {
        guard try isThere() else { return }
        let statement = try prepare(ShelfTable.following)
        let last = id?.bytes ?? []
        statement.bind(blob: last.span, at: 1)
        try self.visit(statement, visit)
    }

    private func visit(
        _ statement: Statement, _ visit: (SealedShelf) throws(Refusal) -> Bool
    ) throws(Refusal) {
        defer { statement.reset() }
        while try statement.next() {
            // A row that somebody has spoiled hides no other.
            guard let shelf = statement.shelf else { continue }
            guard try visit(shelf) else { return }
        }
    }

    /// The table is made with the first shelf, perhaps by another process.
    private func isThere() throws(Refusal) -> Bool {
        if hasTable { return true }
        hasTable = try refusing { () throws(DatabaseError) in
            try database.integer(ShelfTable.looking, "be searched") != nil
        }
        return hasTable
    }

    private func preparedLookup() throws(Refusal) -> Statement {
        if let lookup { return lookup }
        let made = try prepare(ShelfTable.lookup)
        lookup = made
        return made
    }

    private func prepare(_ sql: String) throws(Refusal) -> Statement {
        try refusing { () throws(DatabaseError) in try database.prepare(sql, "find a shelf") }
    }

    private func first(of statement: Statement) throws(Refusal) -> SealedShelf? {
        defer { statement.reset() }
        return try statement.next() ? statement.shelf : nil
    }
}

extension Statement {
    /// The shelf at which it stands; nil for one whose id is none.
    fileprivate var shelf: SealedShelf? {
        let id = withBlob(0) { ShelfID($0) }
        return id.map { SealedShelf(id: $0, sealed: withBlob(1) { $0.array(0, $0.count) }) }
    }
}

extension ItemStore {
    /// A connection that finds shelves.
    ///
    /// - Throws: why the store is no longer used, too.
    package func makeShelfReader() throws(Refusal) -> ShelfReader {
        try failure.check()
        return try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            try database.execute("PRAGMA query_only = ON", "be read")
            return ShelfReader(database)
        }
    }
}

extension StoreReader {
    /// The shelves of the store, or of its copy, through the same connection.
    package var shelves: ShelfReader { ShelfReader(database) }
}

/// Changes of shelves, in the open transaction.
extension StoreWriter {
    /// The shelves as the open transaction sees them.
    package var shelves: ShelfReader { ShelfReader(database) }

    /// Adds a shelf of the program whose rows are written now.
    ///
    /// - Parameters:
    ///   - place: that of the new files it may take; nil for a shelf that takes none.
    ///   - made: when it came into the store, in seconds since 2001: of a place the first takes new files.
    package func add(_ shelf: SealedShelf, at place: ColumnDigest?, made: Int64) throws(Refusal) {
        try makeShelfTable()
        let statement = try statement(.addShelf)
        let owner = owner?.span.array(0, AttributeDigester.size) ?? []
        let place = place?.span.array(0, AttributeDigester.size) ?? []
        try writing { () throws(DatabaseError) in
            statement.bind(blob: shelf.id.bytes.span, at: 1)
            statement.bind(blob: place.span, at: 2)
            statement.bind(blob: owner.span, at: 3)
            try statement.bind(integer: made, at: 4)
            statement.bind(blob: shelf.sealed.span, at: 5)
            try statement.run()
        }
    }

    /// Removes a shelf for good.
    package func delete(_ shelf: ShelfID) throws(Refusal) {
        if try has(ShelfTable.looking) { try run(.deleteShelf, on: shelf) }
    }

    private func run(_ command: WriteStatement, on shelf: ShelfID) throws(Refusal) {
        let statement = try statement(command)
        statement.bind(blob: shelf.bytes.span, at: 1)
        try writing { () throws(DatabaseError) in try statement.run() }
    }

    // MARK: - In a circle

    /// Marks a shelf that other machines are to get, or whose deletion they are to hear of; nothing in no circle.
    package func mark(_ shelf: ShelfID, isTombstone: Bool) throws(Refusal) {
        if isInCircle { try mark(RecordPlace(shelf), isTombstone: isTombstone) }
    }

    /// The tombstone of a shelf; nil when there is none.
    package func tombstone(of shelf: ShelfID) throws(Refusal) -> SealedShelf? {
        guard try has(ShelfTable.lookingForTombstones) else { return nil }
        let statement = try statement(.shelfTombstone)
        defer { statement.reset() }
        statement.bind(blob: shelf.bytes.span, at: 1)
        return try statement.next() ? statement.shelf : nil
    }

    /// Keeps the tombstone of a shelf that is not there any more.
    package func keep(tombstone: SealedShelf) throws(Refusal) {
        if try !has(ShelfTable.lookingForTombstones) {
            try writing { () throws(DatabaseError) in
                try database.execute(ShelfTable.tombstoneCreation, "delete a shelf")
            }
        }
        let statement = try statement(.addShelfTombstone)
        statement.bind(blob: tombstone.id.bytes.span, at: 1)
        statement.bind(blob: tombstone.sealed.span, at: 2)
        try writing { () throws(DatabaseError) in try statement.run() }
    }

    /// Removes the tombstone of a shelf, which nobody needs any more, or which is there again.
    package func dropTombstone(of shelf: ShelfID) throws(Refusal) {
        if try has(ShelfTable.lookingForTombstones) { try run(.deleteShelfTombstone, on: shelf) }
    }

    /// How many shelves of this machine there are, and how many of the program whose rows are written now.
    package func countShelves() throws(Refusal) -> (all: Int64, owner: Int64) {
        guard try has(ShelfTable.looking) else { return (0, 0) }
        let statement = try statement(.countShelves)
        defer { statement.reset() }
        let owner = owner?.span.array(0, AttributeDigester.size) ?? []
        statement.bind(blob: owner.span, at: 1)
        return try statement.next() ? (statement.integer(0), statement.integer(1)) : (0, 0)
    }

    /// How many shelves there are that came from other machines.
    package func countShelvesOfOthers() throws(Refusal) -> Int64 {
        guard try has(ShelfTable.looking) else { return 0 }
        let statement = try statement(.countShelvesOfOthers)
        defer { statement.reset() }
        return try statement.next() ? statement.integer(0) : 0
    }

    /// How many shelves there are, and how many of them came after a second since 2001.
    package func countShelves(after second: Int64) throws(Refusal) -> (all: Int64, later: Int64) {
        guard try has(ShelfTable.looking) else { return (0, 0) }
        let statement = try statement(.countLaterShelves)
        defer { statement.reset() }
        try writing { () throws(DatabaseError) in try statement.bind(integer: second, at: 1) }
        return try statement.next() ? (statement.integer(0), statement.integer(1)) : (0, 0)
    }

    private func makeShelfTable() throws(Refusal) {
        guard try !has(ShelfTable.looking) else { return }
        try writing { () throws(DatabaseError) in
            for statement in ShelfTable.creation { try database.execute(statement, "add a shelf") }
        }
    }
}
