import Glibc
import KeychainModel
import LinuxSystem

/// Makes the tables of an empty store, and brings one of an older version up to date, step by step, each in a
/// transaction of its own.
///
/// Before the first step the whole store is copied into its own folder; the copy stays until somebody deletes it. A
/// store of a newer version is left alone.
struct Migrations {
    let database: Database
    let path: String
    /// Whether no other process uses the store.
    var isAlone = false
    /// The statements that lead from a version to the next.
    var steps = Migrations.all

    /// ``ColumnMigration`` and ``TombstoneMigration`` take further steps, for which the index key is needed, and
    /// ``RenameMigration`` the last.
    static let all: [Int64: [String]] = [1: Ownership.migration, 2: [], 3: UsageCounters.migration]

    /// Whether the file has never been given tables, or has lost them.
    func isEmpty() throws(Refusal) -> Bool { try found() == 0 }

    /// Whether one of the last steps is still to be taken.
    func needsKey() throws(Refusal) -> Bool {
        (ColumnMigration.versions.lowerBound...RenameMigration.version).contains(try found())
    }

    /// Changes the store after a copy was made in its folder, unless it has no rows yet. The copy is removed when the
    /// change fails, so that failures do not fill the disk. It stays where the store is another now, and where nobody
    /// knows whether it is.
    func withCopy(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        let version = try found()
        try checkForeign(version)
        let copy = try isNew() ? nil : snapshotPath(version)
        if let copy { try make(copy) }
        do throws(Refusal) { try body() } catch {
            if let copy, error.status != .io, (try? found()) == version { unsafe unlink(copy) }
            throw error
        }
    }

    private func make(_ copy: String) throws(Refusal) {
        do throws(Refusal) { try StoreCopy.make(of: database, at: copy, isAlone: isAlone) } catch {
            throw try isOfBadPages(error) ? Self.damaged(path) : error
        }
    }

    /// SQLite calls the disk full where a bad page names one beyond what a file can have.
    private func isOfBadPages(_ refusal: Refusal) throws(Refusal) -> Bool {
        guard refusal.status == .diskFull else { return refusal.rule == .damaged }
        return try refusing { () throws(DatabaseError) in
            try database.integer("SELECT 1 FROM pragma_quick_check(1) WHERE quick_check <> 'ok'", "be checked") != nil
        }
    }

    /// Triggers and views of others would be run by the steps, or keep them from being taken.
    private func checkForeign(_ version: Int64) throws(Refusal) {
        let sql = Self.countOfForeign + (version < 4 ? Self.butReplaced : "")
        let count = try refusing { () throws(DatabaseError) in try database.integer(sql, "be checked") ?? 0 }
        if count > 0 { throw Self.foreign(path, count) }
    }

    /// How many entries of the schema have a text that makes neither table nor index nor one of our triggers.
    private static let countOfForeign =
        "SELECT count(*) FROM sqlite_schema WHERE sql NOT LIKE 'CREATE TABLE %' AND sql NOT LIKE 'CREATE INDEX %' "
        + "AND sql NOT IN ("
        + Schema.triggers.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ") + ")"

    /// Version 3 had other triggers with the present names. The step to version 4 drops them before it changes a row.
    private static let butReplaced =
        " AND name NOT IN ("
        + ItemClass.stored.flatMap(UsageCounters.names).map { "'\($0)'" }.joined(separator: ", ") + ")"

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
        guard steps[version] != nil else { return }
        try withCopy { () throws(Refusal) in
            while let step = steps[version] {
                try take(step, from: version, to: version + 1)
                version += 1
            }
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

    private static func damaged(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store \(path) is of an older version and has damaged pages. It can be neither copied nor "
                + "brought up to date, and was left alone.",
            do: "Keep the folder. Restore a snapshot from it, or have the release that wrote it read what it still can."
        )
    }

    private static func foreign(_ path: String, _ count: Int64) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store \(path) is of an older version and has \(count) triggers or views that the keychain did not "
                + "make; it was left alone.",
            do: "Find out who put them there, and remove them or restore a snapshot from the same folder.")
    }

    private static func tooNew(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "store",
            "The store \(path) was written by a newer release; it was left alone.",
            do: "Update this installation.")
    }
}
