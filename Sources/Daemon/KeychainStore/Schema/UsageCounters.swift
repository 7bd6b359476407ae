import KeychainModel

/// Version 4 of the store: triggers keep `usage` in the transaction of each change.
///
/// Stores of version 3 counted added rows later, with a table `counted` that says up to which row.
enum UsageCounters {
    static var migration: [String] {
        ["DROP TABLE IF EXISTS counted"] + ItemClass.stored.flatMap(dropping) + ItemClass.stored.flatMap(triggers)
            + recount(of: items)
    }

    private static let events = ["comes", "goes", "changes"]

    static func dropping(_ itemClass: ItemClass) -> [String] {
        names(of: itemClass).map { "DROP TRIGGER IF EXISTS \($0)" }
    }

    static func names(of itemClass: ItemClass) -> [String] { events.map { "\(itemClass.code)_\($0)" } }

    static func triggers(of itemClass: ItemClass) -> [String] {
        let table = itemClass.code
        let (new, everything) = (Ownership.size("NEW."), Ownership.everything)
        let comes = """
            INSERT INTO usage VALUES (NEW.ownr, 1, \(new)), (\(everything), 1, \(new)) \
            ON CONFLICT (ownr) DO UPDATE SET items = items + 1, bytes = bytes + excluded.bytes
            """
        let goes = """
            UPDATE usage SET items = items - 1, bytes = bytes - (\(Ownership.size("OLD."))) \
            WHERE ownr IN (OLD.ownr, \(everything))
            """
        return [
            "CREATE TRIGGER \(table)_comes AFTER INSERT ON \(table) BEGIN \(comes); END",
            "CREATE TRIGGER \(table)_goes AFTER DELETE ON \(table) BEGIN \(goes); END",
            "CREATE TRIGGER \(table)_changes AFTER UPDATE ON \(table) BEGIN \(goes); \(comes); END",
        ]
    }

    /// The usage of all owners together and that of one owner, which is bound: rows and bytes of either, in one row.
    static var reading: String {
        let sums = ["items * everybody", "bytes * everybody", "items * owned", "bytes * owned"]
        return """
            SELECT \(sums.map { "coalesce(sum(\($0)), 0)" }.joined(separator: ", ")) FROM (\
            SELECT items, bytes, ownr = \(Ownership.everything) AS everybody, ownr = ?1 AS owned FROM usage \
            WHERE ownr IN (\(Ownership.everything), ?1))
            """
    }

    /// The statements that count all rows again.
    static var recount: [String] { recount(of: rows) }

    private static func recount(of rows: String) -> [String] {
        [
            "DELETE FROM usage",
            "INSERT INTO usage SELECT ownr, sum(items), sum(bytes) FROM (\(rows)) GROUP BY ownr",
            """
            INSERT INTO usage SELECT \(Ownership.everything), sum(items), sum(bytes) FROM (\(rows)) \
            WHERE ownr <> \(HistoryTable.everything) HAVING count(*) > 0
            """,
        ]
    }

    /// How many owners have counters that are not what their rows say, found in one view of the store.
    static var wrongCounters: String {
        """
        SELECT count(*) FROM (SELECT ownr FROM (SELECT ownr, -items AS items, -bytes AS bytes FROM usage \
        UNION ALL \(rows) UNION ALL SELECT \(Ownership.everything), items, bytes FROM (\(rows)) \
        WHERE ownr <> \(HistoryTable.everything)) \
        GROUP BY ownr HAVING sum(items) <> 0 OR sum(bytes) <> 0)
        """
    }

    /// The rows of all classes, and the earlier versions: as bytes of their owners, and as what they are.
    private static var rows: String {
        let size = Ownership.size("")
        return "\(items) UNION ALL SELECT ownr, 0 AS items, \(size) AS bytes FROM history "
            + "UNION ALL SELECT \(HistoryTable.everything), 1 AS items, \(size) AS bytes FROM history"
    }

    private static var items: String {
        ItemClass.stored.map { "SELECT ownr, 1 AS items, \(Ownership.size("")) AS bytes FROM \($0.code)" }
            .joined(separator: " UNION ALL ")
    }
}
