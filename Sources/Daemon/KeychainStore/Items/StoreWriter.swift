import CSQLite
package import KeychainModel
package import LinuxSystem

/// The connection that changes rows. There is one in a process, and one thread at a time uses it.
package final class StoreWriter {
    /// Finds the rows to change, inside the same transaction.
    package let reader: StoreReader
    package let digester: AttributeDigester
    /// The owner of the rows that are written from now on; without one, a row that is replaced keeps its owner.
    package var owner: ColumnDigest?
    /// The items that the open transaction has changed, for ``ChangeLog``.
    var changed: [PersistentReference] = []
    /// And their groups, for ``GroupNumbers``.
    var changedGroups: Set<[UInt8]> = []
    let changeLog: ChangeLog
    let groupNumbers: GroupNumbers
    /// Whether the keychain belongs to a circle, so that changes are marked and deleted items leave tombstones.
    package private(set) var isInCircle = false
    /// How often a record was marked for the other machines.
    package internal(set) var marks: UInt64 = 0
    var records = RecordChanges()
    /// Microseconds since 1970.
    var clock: () -> Int64 = { max(0, Clock.realtimeNanoseconds / 1000) }
    /// How far the store has come since it was marked.
    var count = WriteCount()
    /// Why nothing is written at all; nil in a store that has what we have made, and nothing else.
    package private(set) var foreignObjects: Refusal?
    /// SQLite's number of the schema that was looked at; any change by its own means makes another.
    private var schemaVersion: Int64?
    let database: Database
    private let store: ItemStore
    private let reserve: SpaceReserve
    private var statements: [WriteStatement: Statement] = [:]

    init(_ database: Database, of store: ItemStore, digester: AttributeDigester) throws(Refusal) {
        (self.database, self.store, self.digester) = (database, store, digester)
        (reserve, changeLog) = (SpaceReserve(besides: store.path), store.changeLog)
        groupNumbers = store.groupNumbers
        reader = StoreReader(database, digester: digester, reporting: store.damage, trusting: store.trust)
        try checkSchema()
    }

    /// Looks at the schema, unless it is the one that was looked at.
    private func checkSchema() throws(Refusal) {
        let statement = try statement(.schemaVersion)
        defer { statement.reset() }
        guard try statement.next(), statement.integer(0) != schemaVersion else { return }
        schemaVersion = statement.integer(0)
        foreignObjects = try refusing { [reader] () throws(DatabaseError) in try reader.foreignObjects() }
        isInCircle = try has(CircleTables.looking)
    }

    /// Runs `body` in one transaction: all of it is on disk when this returns, or none of it when it throws.
    ///
    /// - Parameter deadline: until when to wait for another process that writes.
    /// - Throws: what `body` throws; `store.outcome-unknown` when the commit failed in a way that leaves open whether
    ///   it is kept. Then, and after any other failure of the disk, the store is not used again (``StoreFailure``).
    package func transaction(by deadline: Deadline = .never, _ body: () throws(Refusal) -> Void) throws(Refusal) {
        try checkUse()
        if let foreignObjects { throw foreignObjects }
        database.waitForOthers(until: deadline)
        try run(.begin)
        do throws(Refusal) {
            try checkSchema()
            if let foreignObjects { throw foreignObjects }
            try body()
            try settleChanges(areShown: true)
            try countTransaction()
        } catch {
            try undo()
            throw error
        }
        try commit()
        count.commit()
        changeLog.append(contentsOf: changed)
        groupNumbers.raise(changedGroups)
        forgetChanges()
    }

    private func commit() throws(Refusal) {
        do throws(DatabaseError) {
            try perform(.commit)
        } catch {
            // These come before the frame that makes it a commit; after any other error that may be on the disk.
            guard !error.isLackOfSpace, ![SQLITE_BUSY, SQLITE_CONSTRAINT].contains(error.primary) else {
                try undo()
                throw error.refusal
            }
            store.failure.note(error.unknownOutcome)
            throw error.unknownOutcome
        }
        // A commit into files that somebody has moved or removed meanwhile is found if they are put back.
        do throws(Refusal) { try checkFiles() } catch { throw error.afterCommit }
    }

    /// Takes space that is kept for deletions, unless it has been. A store without items needs none.
    package func keepReserve() { reserve.keep() }

    /// Gives it back.
    package func giveReserve() { reserve.give() }

    private func forgetChanges() { (changed, changedGroups) = ([], []) }

    /// Rolls back, unless an error has done so.
    private func undo() throws(Refusal) {
        count.rollback()
        forgetChanges()
        guard database.isInTransaction else { return }
        try run(.rollback)
    }

    /// The store has not failed, and its files are still its own.
    ///
    /// - Throws: the refusal with which its use has ended.
    package func checkUse() throws(Refusal) {
        try store.failure.check()
        try checkFiles()
    }

    /// The files are where they were opened, and the descriptors those of the files.
    private func checkFiles() throws(Refusal) {
        if let failure = store.failureOfUse ?? database.failureOfUse { throw store.fail(failure) }
    }

    /// Runs `body` inside a transaction so that what it did alone is undone when it throws.
    package func savepoint(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        try run(.savepoint)
        do throws(Refusal) { try body() } catch {
            // Some errors of the disk have ended the transaction.
            guard isInTransaction else { throw error }
            try run(.rollbackToSavepoint)
            try run(.release)
            throw error
        }
        try run(.release)
    }

    /// Whether the descriptors of the connection are still its own.
    package var hasItsDescriptors: Bool { database.hasItsDescriptors }

    /// Whether there is a transaction. Some errors of the disk end it by themselves.
    package var isInTransaction: Bool { database.isInTransaction }

    /// Adds a row; false when its primary key is taken.
    package func insert(_ row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(.insertion(row.itemClass))
        _ = try bind(row: row, owner: owner?.span.array(0, RowCodes.size) ?? [], to: statement)
        guard try unlessTaken(statement) else { return false }
        try addLookups(of: row, database.lastRow)
        try mark(row)
        return true
    }

    /// Puts new content into the row with this number; false when another row has its primary key.
    package func replace(_ id: Int64, with row: NewRow) throws(Refusal) -> Bool {
        let statement = try statement(.replacement(row.itemClass))
        let owner =
            if let owner { owner.span.array(0, RowCodes.size) } else { try self.owner(of: id, in: row.itemClass) }
        let index = try bind(row: row, owner: owner, to: statement)
        try refusing { () throws(DatabaseError) in try statement.bind(integer: id, at: index) }
        guard try unlessTaken(statement) else { return false }
        try replaceLookups(of: row, id)
        try mark(row)
        return true
    }

    private func owner(of id: Int64, in itemClass: ItemClass) throws(Refusal) -> [UInt8] {
        let statement = try statement(.owner(itemClass))
        defer { statement.reset() }
        try refusing { () throws(DatabaseError) in try statement.bind(integer: id, at: 1) }
        return try statement.next() ? statement.withBlob(0) { $0.array(0, $0.count) } : []
    }

    /// Counts all rows again.
    package func recount() throws(Refusal) {
        try transaction { () throws(Refusal) in
            try writing { () throws(DatabaseError) in
                for statement in UsageCounters.recount { try database.execute(statement, "be counted") }
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
        try forgetRecord(of: id, in: itemClass)
        try delete(id, from: itemClass)
    }

    /// Visits the row that has this primary key, also when it is not as it was written.
    package func occupant(
        of primaryKey: [UInt8], in itemClass: ItemClass, _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let statement = try statement(.occupant(itemClass))
        defer { statement.reset() }
        statement.bind(blob: primaryKey.span, at: 1)
        if try statement.next() { try visit(SealedRow(statement, itemClass, digester: digester)) }
    }

    /// Keeps the wrapped metadata key of a protection class.
    package func keep(metadataKey wrapped: [UInt8], for accessibility: Accessibility) throws(Refusal) {
        let statement = try statement(.metadataKey)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(accessibility.rawValue), at: 1)
            statement.bind(blob: wrapped.span, at: 2)
            try statement.run()
        }
    }

    /// Removes all rows of a protection class and its metadata key.
    package func purge(_ accessibility: Accessibility) throws(Refusal) {
        records.noteAll()
        for table in ItemClass.stored.map(\.code) + ["metadatakeys"] {
            try run(.purge(table), Int64(accessibility.rawValue))
        }
    }

    /// Moves all rows of a protection class out of the way, and the metadata key they were written under, without
    /// losing them.
    package func quarantine(_ accessibility: Accessibility) throws(Refusal) {
        for itemClass in ItemClass.stored { try run(.quarantineClass(itemClass), Int64(accessibility.rawValue)) }
        try run(.quarantineMetadataKey, Int64(accessibility.rawValue))
        try purge(accessibility)
    }

    /// Readers of older states, and other writers, are waited for so long; after that the checkpoint is tried again
    /// later.
    private static let timeoutMilliseconds = 250

    /// Whether it is time for a checkpoint.
    package var isCheckpointDue: Bool { database.log?.isDue ?? false }

    /// Moves the log into the database and has both on the disk; nobody holds a snapshot meanwhile. One that somebody
    /// else's reading or writing keeps from being complete is left for later.
    ///
    /// - Throws: what the disk says; then the store is not used again.
    package func checkpoint() throws(Refusal) {
        try checkUse()
        database.log?.changes.suspendHolding()
        defer { database.log?.changes.resumeHolding() }
        let isComplete = try writing { () throws(DatabaseError) in
            try database.checkpoint(by: .after(milliseconds: Self.timeoutMilliseconds))
        }
        database.log?.noteCheckpoint(isComplete: isComplete)
    }

    func run(_ command: WriteStatement, _ number: Int64) throws(Refusal) {
        let statement = try statement(command)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: number, at: 1)
            try statement.run()
        }
    }

    func run(_ command: WriteStatement) throws(Refusal) {
        try writing { () throws(DatabaseError) in try perform(command) }
    }

    private func perform(_ command: WriteStatement) throws(DatabaseError) { try prepared(command).run() }

    func statement(_ command: WriteStatement) throws(Refusal) -> Statement {
        try refusing { () throws(DatabaseError) in try prepared(command) }
    }

    private func prepared(_ command: WriteStatement) throws(DatabaseError) -> Statement {
        if let ready = statements[command] { return ready }
        let (sql, action) = command.text
        let prepared = try database.prepare(sql, action)
        statements[command] = prepared
        return prepared
    }

    /// Runs what writes. A failure of the disk is the last thing this process hears of the store.
    func writing<Result>(_ body: () throws(DatabaseError) -> Result) throws(Refusal) -> Result {
        do throws(DatabaseError) { return try body() } catch {
            if error.isFailureOfDisk { store.failure.note(error.refusal) }
            throw error.refusal
        }
    }

    /// Binds a row's columns in the order of the schema and gives the next free place.
    private func bind(row: NewRow, owner: [UInt8], to statement: Statement) throws(Refusal) -> Int32 {
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
        statement.bind(blob: owner.span, at: index)
        let code = try digester.code(of: row, owner: owner.span)
        statement.bind(blob: code.span, at: index + 1)
        return index + 2
    }

    private func unlessTaken(_ statement: Statement) throws(Refusal) -> Bool {
        do throws(DatabaseError) {
            try statement.run()
            return true
        } catch {
            guard error.isUniqueViolation else { return try writing { () throws(DatabaseError) in throw error } }
            return false
        }
    }
}

/// Writing the pairs of ``LookupTable``.
extension StoreWriter {
    /// Adds the pairs of a row that was added.
    fileprivate func addLookups(of row: NewRow, _ id: Int64) throws(Refusal) {
        guard !row.lookups.isEmpty else { return }
        if try !has(LookupTable.looking) { try makeLookups() }
        let statement = try statement(.addLookup)
        try writing { () throws(DatabaseError) in
            for digest in row.lookups {
                statement.bind(blob: digest.span, at: 1)
                try statement.bind(integer: id, at: 2)
                try statement.run()
            }
        }
    }

    /// Makes the table in the open transaction.
    private func makeLookups() throws(Refusal) {
        try writing { () throws(DatabaseError) in
            for statement in LookupTable.creation { try database.execute(statement, "add an item") }
        }
    }

    /// Adds the pairs of a row that has new content, in place of those that it had.
    fileprivate func replaceLookups(of row: NewRow, _ id: Int64) throws(Refusal) {
        guard !row.lookups.isEmpty else { return }
        if try has(LookupTable.looking) { try run(.endLookups, id) }
        try addLookups(of: row, id)
    }
}

extension Refusal {
    /// The same after a commit: what was changed may be there when the files are put back.
    fileprivate var afterCommit: Refusal {
        Refusal(status, .unknownOutcome, subject, "\(problem) The change may or may not have been stored.", do: remedy)
    }
}
