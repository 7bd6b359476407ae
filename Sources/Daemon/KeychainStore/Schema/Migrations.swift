import KeychainModel
import LinuxSystem

/// Makes the tables of an empty store, and brings one of an older version up to date, step by step, each in a transaction of its own.
///
/// Before the first step the whole store is copied beside itself; the copy stays until somebody deletes it. A store of a newer
/// version is left alone.
struct Migrations {
    let database: Database
    let path: String
    /// The statements that lead from a version to the next.
    var steps = Migrations.all

    /// ``ColumnMigration`` takes the last step, for which the index key is needed.
    static let all: [Int64: [String]] = [1: Ownership.migration, 2: [], 3: UsageCounters.migration]

    /// Whether the file has never been given tables, or has lost them.
    func isEmpty() throws(Refusal) -> Bool { try found() == 0 }

    /// Whether the last step is still to be taken.
    func needsKey() throws(Refusal) -> Bool { ColumnMigration.versions.contains(try found()) }

    /// Copies the store beside itself.
    func copy() throws(Refusal) { try StoreCopy.make(of: database, at: snapshotPath(try found())) }

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

    private func found() throws(Refusal) -> Int64 { try refusing { () throws(DatabaseError) in try version() } }

    private func version() throws(DatabaseError) -> Int64 {
        try database.integer("PRAGMA user_version", "tell its version") ?? 0
    }

    /// Migrates as far as needed.
    func run() throws(Refusal) {
        var version = try found()
        guard version > 0 else { return try take(Schema.creation, from: 0, to: Int64(Schema.version)) }
        guard version <= Int64(Schema.version) else { throw Self.tooNew(path) }
        if steps[version] != nil, try !isNew() { try copy() }
        while let step = steps[version] {
            try take(step, from: version, to: version + 1)
            version += 1
        }
    }

    /// Another process may have been faster: the version is looked at again inside the transaction.
    private func take(_ statements: [String], from old: Int64, to new: Int64) throws(Refusal) {
        try refusing { () throws(DatabaseError) in
            try database.transaction { () throws(DatabaseError) in
                guard try version() == old else { return }
                for statement in statements { try database.execute(statement, "be brought up to date") }
                try database.execute("PRAGMA user_version = \(new)", "be brought up to date")
            }
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
