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

    static let all = [Schema.creation, Ownership.migration, [], UsageCounters.migration]

    /// Whether the file has never been given tables, or has lost them.
    func isEmpty() throws(Refusal) -> Bool { try refusing { () throws(DatabaseError) in try version() == 0 } }

    private func version() throws(DatabaseError) -> Int64 {
        try database.integer("PRAGMA user_version", "tell its version") ?? 0
    }

    /// Migrates as far as needed.
    func run() throws(Refusal) {
        do throws(DatabaseError) {
            let found = try version()
            guard found < steps.count else { return try refuseNewer(found) }
            if found > 0 { try database.snapshot(to: snapshotPath(found)) }
            for version in Int(found)..<steps.count { try step(from: version) }
        } catch {
            throw error.code == DatabaseError.fromTheFuture.code ? Self.tooNew(path) : error.refusal
        }
    }

    private func refuseNewer(_ found: Int64) throws(DatabaseError) {
        if found > steps.count { throw DatabaseError.fromTheFuture }
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
        "\(path).v\(version).\(UInt64(Clock.secondsSinceReferenceDate)).snapshot"
    }

    private static func tooNew(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "store",
            "The store \(path) was written by a newer release; it was left alone.",
            do: "Update this installation.")
    }
}

extension DatabaseError {
    fileprivate static let fromTheFuture = DatabaseError(code: -1, action: "be understood")
}
