package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The store's mark, which says how new the store is.
extension StoreWriter {
    /// Makes the tables of mark and history in a store that has none yet.
    func makeLaterTables() throws(Refusal) {
        guard foreignObjects == nil else { return }
        if try !has(MarkTable.looking) { try make([MarkTable.creation]) }
        if try !has(HistoryTable.looking) { try make(HistoryTable.creation) }
    }

    func has(_ looking: String) throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in try database.integer(looking, "be opened") != nil }
    }

    private func make(_ creation: [String]) throws(Refusal) {
        try transaction { () throws(Refusal) in
            try refusing { () throws(DatabaseError) in
                for statement in creation { try database.execute(statement, "be opened") }
            }
        }
    }

    /// The mark, as it stands on disk; nil when there is none.
    package func mark() throws(Refusal) -> StoreMark? {
        try checkUse()
        let statement = try statement(.readMark)
        defer { statement.reset() }
        guard try statement.next() else { return nil }
        let code = statement.withBlob(2) { $0.array(0, $0.count) }
        // A code of another size is none; it is shown to the enclave as a wrong one.
        let none = [UInt8](repeating: 0, count: StoreMark.codeBytes)
        return StoreMark(
            changes: UInt64(bitPattern: statement.integer(0)), block: UInt64(bitPattern: statement.integer(1)),
            code: code.count == none.count ? code : none)
    }

    /// Puts a mark in place of the one that was read, unless another process was faster.
    package func keep(_ mark: StoreMark, insteadOf old: StoreMark?) throws(Refusal) {
        try transaction { () throws(Refusal) in
            let statement = try bind(mark: mark, to: old == nil ? .firstMark : .nextMark)
            try refusing { () throws(DatabaseError) in
                if let old {
                    try statement.bind(integer: Int64(bitPattern: old.changes), at: 4)
                    try statement.bind(integer: Int64(bitPattern: old.block), at: 5)
                    statement.bind(blob: old.code.span, at: 6)
                }
                try statement.run()
            }
        }
    }

    /// Puts a mark in, whatever there is.
    package func keep(accepted mark: StoreMark) throws(Refusal) {
        count.forget()
        try transaction { () throws(Refusal) in
            let statement = try bind(mark: mark, to: .acceptedMark)
            try refusing { () throws(DatabaseError) in try statement.run() }
        }
        try storing { () throws(SystemError) in try DamagedLog.forget(besides: database.path) }
    }

    /// Transactions of all writers since the block began, or since one was last asked for.
    package var writesInBlock: Int64 { count.writes }

    /// A block is asked for: whether or not there will be one, the next is asked for later.
    package func askForBlock() { count.ask() }

    /// Whether an older store was put in place of this one while it was written to.
    package var wentBack: Bool { count.wentBack }

    /// Whether the log was damaged, so that commits were lost, and nobody has accepted that yet.
    package var hasDamagedLog: Bool { DamagedLog.isKept(besides: database.path) }

    /// Counts the open transaction.
    func countTransaction() throws(Refusal) {
        let statement = try statement(.countTransaction)
        defer { statement.reset() }
        guard try statement.next() else { return count.note(nil) }
        count.note(
            WriteCount.Seen(
                changes: statement.integer(0), block: statement.integer(1), writes: statement.integer(2)))
    }

    private func bind(mark: StoreMark, to command: WriteStatement) throws(Refusal) -> Statement {
        let statement = try statement(command)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(bitPattern: mark.changes), at: 1)
            try statement.bind(integer: Int64(bitPattern: mark.block), at: 2)
        }
        statement.bind(blob: mark.code.span, at: 3)
        return statement
    }
}
