import KeychainModel

/// Version 8 of the store: the records of a circle say which records their items were before they took another primary
/// key, and which versions theirs were made from (``CircleTables``). Earlier versions of items say to which machine's
/// change they have lost (``HistoryTable``).
///
/// A release that knows nothing of it would rename items without telling the other machines which they were, so it must
/// not open a store of this version.
struct RenameMigration {
    let database: Database

    /// The version that it begins with.
    static let version: Int64 = 7

    func run() throws(Refusal) {
        try database.step(from: Self.version..<Self.version + 1) { _ throws(Refusal) in
            try refusing { () throws(DatabaseError) in
                try add("previous BLOB", to: "syncrow")
                try add("base INTEGER", to: "syncrow")
                try add("\(HistoryTable.lost) BLOB", to: "history")
                try database.execute("PRAGMA user_version = \(Self.version + 1)", "be brought up to date")
            }
        }
    }

    /// Adds a column to a table that is there and has no such one: a store may have been made to look older.
    private func add(_ column: String, to table: String) throws(DatabaseError) {
        let name = column.prefix { $0 != " " }
        let columns = "SELECT count(*) * (sum(name = '\(name)') = 0) FROM pragma_table_info('\(table)')"
        guard let count = try database.integer(columns, "be checked"), count > 0 else { return }
        try database.execute("ALTER TABLE \(table) ADD COLUMN \(column)", "be brought up to date")
    }
}
