import KeychainModel
import LinuxSystem

/// Brings a store of an older version up to the present one, step by step, each in a transaction of its own.
///
/// Before the first step the whole store is copied beside itself; the copy stays until somebody deletes it. A store of a newer
/// version is left alone.
struct Migrations {
    let database: Database
    let path: String
    /// The statements that lead from version N (the index) to N + 1. Version 0 is the empty file.
    var steps = Migrations.all

    /// ``RowCodeMigration`` takes the last step, for which the index key is needed.
    static let all = [Schema.creation, Ownership.migration, [], UsageCounters.migration]

    /// Whether the file has never been given tables, or has lost them.
    func isEmpty() throws(Refusal) -> Bool { try refusing { () throws(DatabaseError) in try version() == 0 } }

    /// Whether the last step is still to be taken.
    func needsKey() throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in try version() == Int64(Schema.version) - 1 }
    }

    /// Copies the store beside itself.
    func copy() throws(Refusal) {
        let version = try refusing { () throws(DatabaseError) in try self.version() }
        try StoreCopy.make(of: database, at: snapshotPath(version))
    }

    /// Whether there is no row of any class yet.
    func isNew() throws(Refusal) -> Bool {
        for itemClass in ItemClass.stored where try hasRows(itemClass) { return false }
        return true
    }

    private func hasRows(_ itemClass: ItemClass) throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in
            try database.integer("SELECT id FROM \(itemClass.code) LIMIT 1", "be read") != nil
        }
    }

    private func version() throws(DatabaseError) -> Int64 {
        try database.integer("PRAGMA user_version", "tell its version") ?? 0
    }

    /// Migrates as far as needed.
    func run() throws(Refusal) {
        let found = try refusing { () throws(DatabaseError) in try version() }
        guard found < steps.count else { return try refuseNewer(found) }
        // Of a store that another process is making just now there is nothing to copy.
        if found > 0, try !isNew() { try copy() }
        try refusing { () throws(DatabaseError) -> Void in
            for version in Int(found)..<steps.count { try step(from: version) }
        }
    }

    private func refuseNewer(_ found: Int64) throws(Refusal) {
        if found > max(steps.count, Schema.version) { throw Self.tooNew(path) }
    }

    /// Another process may have been faster: the version is looked at again inside the transaction.
    private func step(from version: Int) throws(DatabaseError) {
        try database.transaction { () throws(DatabaseError) in
            guard try self.version() == Int64(version) else { return }
            for statement in steps[version] { try database.execute(statement, "be brought up to date") }
            try database.execute("PRAGMA user_version = \(version + 1)", "be brought up to date")
        }
    }

    private func snapshotPath(_ version: Int64) -> String {
        "\(path).v\(version).\(UInt64(max(0, Clock.secondsSinceReferenceDate))).snapshot"
    }

    private static func tooNew(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "store",
            "The store \(path) was written by a newer release; it was left alone.",
            do: "Update this installation.")
    }
}
