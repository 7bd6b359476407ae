import KeychainModel

/// Version 2 of the store: which program wrote a row last, how much everybody has, and what is known of groups.
///
/// `usage` counts rows (tombstones among them) and the bytes of their sealed parts, for every owner and for all
/// together; ``UsageCounters`` keep it.
enum Ownership {
    /// 16 bytes, the digest of the program that wrote the row last; empty where that was before version 2.
    static let column = "ownr"
    /// The row of `usage` that counts everything. No digest has its length.
    static let everything = "x'00'"

    static var migration: [String] {
        ItemClass.stored.map { "ALTER TABLE \($0.code) ADD COLUMN \(column) BLOB NOT NULL DEFAULT x''" }
            + tables
    }

    static let tables = [usage, groups]

    private static let usage = """
        CREATE TABLE usage (ownr BLOB PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID
        """

    /// The sealed record of a group, which contains its name.
    private static let groups = "CREATE TABLE groupbook (agrp BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID"

    /// The bytes of a row's sealed parts.
    static func size(_ row: String) -> String {
        ["wkey", "meta", "data"].map { "length(\(row)\($0))" }.joined(separator: " + ")
    }
}
