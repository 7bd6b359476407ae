package import KeychainModel
package import LinuxSystem

/// The connection that changes rows. There is one in a process, and one thread at a time uses it.
package final class StoreWriter {
    /// Finds the rows to change, inside the same transaction.
    package let reader: StoreReader
    package let digester: AttributeDigester
    /// To whom the rows belong that are written from now on; without one, a row that is replaced keeps its owner.
    package var owner: ColumnDigest?
    /// All rows that were ever written here, those that replaced others and those that were undone among them, and their bytes.
    package private(set) var written = StoreUsage()
    /// As much of it is counted.
    private var settled = StoreUsage()
    private let database: Database
    private var statements: [Command: Statement] = [:]

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
        try run(.begin)
        do throws(Refusal) {
            try body()
            try run(.commit)
        } catch {
            // A full disk has rolled back by itself; then there is nothing to undo.
            try? run(.rollback)
            throw error
        }
    }

    /// Runs `body` inside a transaction so that what it did alone is undone when it throws.
    package func savepoint(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        try run(.savepoint)
        do throws(Refusal) { try body() } catch {
            try run(.rollbackToSavepoint)
            try run(.release)
            throw error
        }
        try run(.release)
    }

    /// Whether there is a transaction. Some errors of the disk end it by themselves.
    package var isInTransaction: Bool { database.isInTransaction }

    /// Adds a row; false when its primary key is taken.
    package func insert(_ row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(.insertion(row.itemClass))
        let last = try bind(row, to: statement) - 1
        if owner == nil { statement.bind(blob: [UInt8]().span, at: last) }
        return try unlessTaken(statement)
    }

    /// Puts new content into the row with this number; false when another row has its primary key.
    package func replace(_ id: Int64, with row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(.replacement(row.itemClass))
        let index = try bind(row, to: statement)
        try refusing { () throws(DatabaseError) in try statement.bind(integer: id, at: index) }
        return try unlessTaken(statement)
    }

    /// Makes the counters anew from the rows.
    package func recount() throws(Refusal) { try count(by: Counters.recount) }

    /// Counts what was added since the last time.
    package func settleCounters() throws(Refusal) {
        settled = written
        try count(by: Counters.settling)
    }

    private func count(by statements: [String]) throws(Refusal) {
        try transaction { () throws(Refusal) in
            try refusing { () throws(DatabaseError) in
                for statement in statements { try database.execute(statement, "be counted") }
            }
        }
    }

    /// Removes a row for good.
    package func delete(_ id: Int64, from itemClass: ItemClass) throws(Refusal) {
        try run(.deletion(itemClass), id)
    }

    /// Moves a row that does not open out of the way of another, without losing it.
    package func quarantine(_ id: Int64, from itemClass: ItemClass) throws(Refusal) {
        try run(.quarantine(itemClass), id)
        try delete(id, from: itemClass)
    }

    /// Visits the row that has this primary key.
    package func occupant(
        of primaryKey: [UInt8], in itemClass: ItemClass, _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let statement = try statement(.occupant(itemClass))
        defer { statement.reset() }
        statement.bind(blob: primaryKey.span, at: 1)
        if try statement.next() { try visit(SealedRow(statement)) }
    }

    /// Keeps the wrapped metadata key of a protection class.
    package func keep(metadataKey wrapped: [UInt8], for accessibility: Accessibility) throws(Refusal) {
        let statement = try statement(.metadataKey)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(accessibility.rawValue), at: 1)
            statement.bind(blob: wrapped.span, at: 2)
            try statement.run()
        }
    }

    /// Removes all rows of a protection class and its metadata key.
    package func purge(_ accessibility: Accessibility) throws(Refusal) {
        for table in ItemClass.stored.map(\.code) + ["metadatakeys"] {
            try run(.purge(table), Int64(accessibility.rawValue))
        }
    }

    /// Whether the log is nearly full, or many rows wait to be counted.
    package var isDueForTidying: Bool {
        database.log?.isNearlyFull == true || (written - settled).items > Counters.mostUncounted
    }

    /// Whether the log is long enough to be moved beside the writer (``LogMover``).
    package var isLogLong: Bool { database.log?.isLong == true }

    /// Moves what the log holds into the database, as far as readers allow; nobody holds a snapshot meanwhile.
    ///
    /// - Parameter preparation: writes what is to go along, which gives readers the time to let go.
    package func checkpoint(after preparation: () -> Void) throws(Refusal) {
        database.log?.changes.suspendHolding()
        defer { database.log?.changes.resumeHolding() }
        preparation()
        try refusing { () throws(DatabaseError) in try database.moveLog() }
        database.log?.noteCheckpoint()
    }

    func run(_ command: Command, _ number: Int64) throws(Refusal) {
        let statement = try statement(command)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: number, at: 1)
            try statement.run()
        }
    }

    func run(_ command: Command) throws(Refusal) {
        let statement = try statement(command)
        try refusing { () throws(DatabaseError) in try statement.run() }
    }

    func statement(_ command: Command) throws(Refusal) -> Statement {
        if let prepared = statements[command] { return prepared }
        let (sql, action) = command.text
        let prepared = try refusing { () throws(DatabaseError) in try database.prepare(sql, action) }
        statements[command] = prepared
        return prepared
    }

    /// Binds a row's columns in the order of the schema and gives the next free place.
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
        for digest in row.digests {
            if let digest { statement.bind(blob: digest.span, at: index) }
            index += 1
        }
        if let owner { statement.bind(blob: owner.span, at: index) }
        written.items += 1
        written.bytes += Int64(row.wrappedKey.count + row.metadata.count + row.value.count)
        return index + 1
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
