import KeychainModel

/// Version 7 of the store: deleted items leave tombstones only in a keychain that belongs to a circle, and changes of
/// items for all devices are marked there (``CircleTables``).
///
/// No keychain of an earlier version belongs to one, so the tombstones that have piled up go. A release that knows
/// nothing of marks would change items without telling the other machines, so it must not open a store of this version.
struct TombstoneMigration {
    let database: Database
    let digester: AttributeDigester

    /// The version that it begins with.
    static let version: Int64 = 6

    func run() throws(Refusal) {
        try database.step(from: Self.version..<Self.version + 1) { _ throws(Refusal) in
            // A store that was made to look older keeps what its circle has not heard of.
            let isInCircle = try refusing { () throws(DatabaseError) in
                try database.integer(CircleTables.looking, "be checked") != nil
            }
            if !isInCircle { try Tombstones(database, digester).remove() }
            try refusing { () throws(DatabaseError) in
                try database.execute("PRAGMA user_version = \(Self.version + 1)", "be brought up to date")
            }
        }
    }
}

extension Database {
    /// Takes a step of a migration in a transaction of its own, if the store has one of these versions; another process
    /// may have been faster.
    ///
    /// - Parameter body: gets the version, and sets the next.
    func step(from versions: Range<Int64>, _ body: (Int64) throws(Refusal) -> Void) throws(Refusal) {
        let outcome: Refusal? = try refusing { () throws(DatabaseError) in
            try execute("BEGIN IMMEDIATE", "begin a change")
            let refusal = attempt(versions, body)
            if refusal == nil { try execute("COMMIT", "keep a change") }
            // Some errors have ended the transaction.
            if isInTransaction { try execute("ROLLBACK", "undo a change") }
            return refusal
        }
        if let outcome { throw outcome }
    }

    private func attempt(_ versions: Range<Int64>, _ body: (Int64) throws(Refusal) -> Void) -> Refusal? {
        do throws(Refusal) {
            let version = try refusing { () throws(DatabaseError) in
                try integer("PRAGMA user_version", "tell its version") ?? 0
            }
            if versions.contains(version) { try body(version) }
            return nil
        } catch { return error }
    }
}
