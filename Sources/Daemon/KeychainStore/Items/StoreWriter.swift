package import KeychainModel
package import LinuxSystem

/// The connection that changes rows. There is one in a process, and one thread at a time uses it.
package final class StoreWriter {
    /// Finds the rows to change, inside the same transaction.
    package let reader: StoreReader
    package let digester: AttributeDigester
    private let database: Database
    private var statements: [String: Statement] = [:]

    init(_ database: Database, digester: AttributeDigester) {
        self.database = database
        self.digester = digester
        reader = StoreReader(database, digester: digester)
    }

    /// Runs `body` in one transaction: all of it is on disk when this returns, or none of it when it throws.
    ///
    /// - Parameter deadline: until when to wait for another process that writes.
    package func transaction(by deadline: Deadline = .never, _ body: () throws(Refusal) -> Void) throws(Refusal) {
        database.waitForOthers(until: deadline)
        try execute("BEGIN IMMEDIATE", "begin a change")
        do throws(Refusal) {
            try body()
            try execute("COMMIT", "keep a change")
        } catch {
            // A full disk has rolled back by itself; then there is nothing to undo.
            try? execute("ROLLBACK", "undo a change")
            throw error
        }
    }

    /// Runs `body` inside a transaction so that what it did alone is undone when it throws.
    package func savepoint(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        try execute("SAVEPOINT one", "begin a change")
        do throws(Refusal) { try body() } catch {
            try execute("ROLLBACK TO one", "undo a change")
            try execute("RELEASE one", "undo a change")
            throw error
        }
        try execute("RELEASE one", "keep a change")
    }

    /// Adds a row; false when its primary key is taken.
    package func insert(_ row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(Schema.insertion(into: row.itemClass), "add an item")
        try bind(row, to: statement)
        return try unlessTaken(statement)
    }

    /// Puts new content into the row with this number; false when another row has its primary key.
    package func replace(_ id: Int64, with row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(Schema.replacement(in: row.itemClass), "change an item")
        let index = try bind(row, to: statement)
        try refusing { () throws(DatabaseError) in try statement.bind(integer: id, at: index) }
        return try unlessTaken(statement)
    }

    /// Removes a row for good.
    package func delete(_ id: Int64, from itemClass: ItemClass) throws(Refusal) {
        try run("DELETE FROM \(itemClass.code) WHERE id = ?", id, "delete an item")
    }

    /// Moves a row that does not open out of the way of another, without losing it.
    package func quarantine(_ id: Int64, from itemClass: ItemClass) throws(Refusal) {
        let columns = "pdmn, uuid, pk, sync, tomb, wkey, meta, data"
        try run(
            "INSERT INTO quarantine (class, \(columns)) SELECT '\(itemClass.code)', \(columns) FROM \(itemClass.code) WHERE id = ?",
            id, "set a damaged item aside")
        try delete(id, from: itemClass)
    }

    /// Visits the row that has this primary key.
    package func occupant(
        of primaryKey: [UInt8], in itemClass: ItemClass, _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let statement = try statement(
            "SELECT \(Schema.sealedColumns) FROM \(itemClass.code) WHERE pk = ?", "find an item")
        defer { statement.reset() }
        statement.bind(blob: primaryKey.span, at: 1)
        if try statement.next() { try visit(SealedRow(statement)) }
    }

    /// Keeps the wrapped metadata key of a protection class.
    package func keep(metadataKey wrapped: [UInt8], for accessibility: Accessibility) throws(Refusal) {
        let statement = try statement(
            "INSERT INTO metadatakeys (pdmn, wrapped) VALUES (?, ?) "
                + "ON CONFLICT (pdmn) DO UPDATE SET wrapped = excluded.wrapped", "keep a metadata key")
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(accessibility.rawValue), at: 1)
            statement.bind(blob: wrapped.span, at: 2)
            try statement.run()
        }
    }

    /// Removes all rows of a protection class and its metadata key.
    package func purge(_ accessibility: Accessibility) throws(Refusal) {
        for table in ItemClass.stored.map(\.code) + ["metadatakeys"] {
            try run("DELETE FROM \(table) WHERE pdmn = ?", Int64(accessibility.rawValue), "remove unreadable items")
        }
    }

    /// Moves what the log holds into the database, as far as readers allow.
    package func checkpoint() throws(Refusal) { try execute("PRAGMA wal_checkpoint(PASSIVE)", "be tidied up") }

    private func run(_ sql: String, _ id: Int64, _ action: String) throws(Refusal) {
        let statement = try statement(sql, action)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: id, at: 1)
            try statement.run()
        }
    }

    private func execute(_ sql: String, _ action: String) throws(Refusal) {
        let statement = try statement(sql, action)
        try refusing { () throws(DatabaseError) in try statement.run() }
    }

    private func statement(_ sql: String, _ action: String) throws(Refusal) -> Statement {
        if let prepared = statements[sql] { return prepared }
        let prepared = try refusing { () throws(DatabaseError) in try database.prepare(sql, action) }
        statements[sql] = prepared
        return prepared
    }

    /// Binds a row's columns in the order of the schema and gives the next free place.
    @discardableResult
    private func bind(_ row: NewRow, to statement: Statement) throws(Refusal) -> Int32 {
        statement.bind(blob: row.uuid.span, at: 1)
        statement.bind(blob: row.primaryKey.span, at: 2)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(row.accessibility.rawValue), at: 3)
            try statement.bind(integer: row.isSynchronizable ? 1 : 0, at: 4)
            try statement.bind(integer: row.isTombstone ? 1 : 0, at: 5)
        }
        statement.bind(blob: row.wrappedKey.span, at: 6)
        statement.bind(blob: row.metadata.span, at: 7)
        statement.bind(blob: row.value.span, at: 8)
        var index: Int32 = 9
        for attribute in Schema.digestColumns(of: row.itemClass) {
            if let digest = row.digests[attribute.id] { statement.bind(blob: digest.span, at: index) }
            index += 1
        }
        return index
    }

    private func unlessTaken(_ statement: Statement) throws(Refusal) -> Bool {
        do throws(DatabaseError) {
            try statement.run()
            return true
        } catch {
            guard error.isUniqueViolation else { throw error.refusal }
            return false
        }
    }
}
