import KeychainModel

/// Version 2 of the store: which program wrote a row last, how much everybody has, and what is known of groups.
///
/// `usage` counts rows (tombstones among them) and the bytes of their sealed parts, for every owner and for all together. How
/// it is kept is ``Counters``' since version 3; here are the triggers of version 2, which that replaces.
enum Ownership {
    /// 16 bytes, the digest of the program that wrote the row last; empty where that was before version 2.
    static let column = "ownr"
    /// The row of `usage` that counts everything. No digest has its length.
    static let everything = "x'00'"

    static var migration: [String] {
        ItemClass.stored.map { "ALTER TABLE \($0.code) ADD COLUMN \(column) BLOB NOT NULL DEFAULT x''" }
            + [usage, groups] + ItemClass.stored.flatMap(triggers) + counting
    }

    private static let usage = """
        CREATE TABLE usage (ownr BLOB PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID
        """

    /// What is known of a group, sealed; its name is in there.
    private static let groups = "CREATE TABLE groupbook (agrp BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID"

    /// The bytes of a row's sealed parts.
    static func size(_ row: String) -> String {
        ["wkey", "meta", "data"].map { "length(\(row)\($0))" }.joined(separator: " + ")
    }

    private static func triggers(of itemClass: ItemClass) -> [String] {
        let table = itemClass.code
        let comes = """
            INSERT INTO usage VALUES (NEW.ownr, 1, \(size("NEW."))), (\(everything), 1, \(size("NEW."))) \
            ON CONFLICT (ownr) DO UPDATE SET items = items + 1, bytes = bytes + excluded.bytes
            """
        let goes = """
            UPDATE usage SET items = items - 1, bytes = bytes - (\(size("OLD."))) \
            WHERE ownr IN (OLD.ownr, \(everything))
            """
        return [
            "CREATE TRIGGER \(table)_comes AFTER INSERT ON \(table) BEGIN \(comes); END",
            "CREATE TRIGGER \(table)_goes AFTER DELETE ON \(table) BEGIN \(goes); END",
            "CREATE TRIGGER \(table)_changes AFTER UPDATE ON \(table) BEGIN \(goes); \(comes); END",
        ]
    }

    /// Counts all rows.
    private static var counting: [String] {
        let columns = "sum(items), sum(bytes) FROM (\(rows))"
        return [
            "DELETE FROM usage",
            "INSERT INTO usage SELECT ownr, \(columns) GROUP BY ownr",
            "INSERT INTO usage SELECT \(everything), \(columns) HAVING count(*) > 0",
        ]
    }

    private static var rows: String {
        ItemClass.stored.map { "SELECT ownr, 1 AS items, \(size("")) AS bytes FROM \($0.code)" }
            .joined(separator: " UNION ALL ")
    }
}
