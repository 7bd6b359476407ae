import KeychainModel

/// Version 3 of the store: an add writes no counter.
///
/// `usage` holds for the rows of each class up to the one that `counted` names; the rows after it are counted when somebody
/// asks, and for good when the store is tidied up (``settling``). The triggers keep what is counted in the transaction of each
/// change. The row that `counted` names is there, or it names 0: a new row, whose number is one more than the largest, thus comes
/// after it.
enum Counters {
    /// How many rows are left to be counted by who asks, at most, while somebody is there to count them.
    static let mostUncounted = 1024

    static var migration: [String] {
        ["CREATE TABLE counted (class TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID"]
            + ItemClass.stored.map { "INSERT INTO counted VALUES ('\($0.code)', \(lastRow(of: $0)))" }
            + ItemClass.stored.flatMap(triggers)
    }

    private static func triggers(of itemClass: ItemClass) -> [String] {
        let table = itemClass.code
        let (new, everything) = (Ownership.size("NEW."), Ownership.everything)
        let isCounted = "WHEN OLD.id <= \(lastCounted(of: itemClass))"
        let goes = """
            UPDATE usage SET items = items - 1, bytes = bytes - (\(Ownership.size("OLD."))) \
            WHERE ownr IN (OLD.ownr, \(everything))
            """
        let comes = "INSERT INTO usage VALUES (NEW.ownr, 1, \(new)), (\(everything), 1, \(new)) \(adding)"
        let lowers = """
            UPDATE counted SET last = (SELECT coalesce(max(id), 0) FROM \(table) WHERE id < OLD.id) \
            WHERE class = '\(table)' AND last = OLD.id
            """
        return ["comes", "goes", "changes"].map { "DROP TRIGGER \(table)_\($0)" } + [
            "CREATE TRIGGER \(table)_goes AFTER DELETE ON \(table) \(isCounted) BEGIN \(goes); \(lowers); END",
            "CREATE TRIGGER \(table)_changes AFTER UPDATE ON \(table) \(isCounted) BEGIN \(goes); \(comes); END",
        ]
    }

    /// What all have together and what one owner has, which is bound: rows and bytes of either, in one row.
    static var reading: String {
        let sums = ["items * everybody", "bytes * everybody", "items * owned", "bytes * owned"]
        return """
            SELECT \(sums.map { "coalesce(sum(\($0)), 0)" }.joined(separator: ", ")) FROM (\
            SELECT items, bytes, ownr = \(Ownership.everything) AS everybody, ownr = ?1 AS owned FROM usage \
            WHERE ownr IN (\(Ownership.everything), ?1) \
            UNION ALL SELECT items, bytes, 1, ownr = ?1 FROM (\(rows(">"))))
            """
    }

    /// The statements that count what was added since they were run last.
    static var settling: [String] {
        [
            "INSERT INTO usage SELECT ownr, sum(items), sum(bytes) FROM (\(rows(">"))) GROUP BY ownr \(adding)",
            """
            INSERT INTO usage SELECT \(Ownership.everything), sum(items), sum(bytes) FROM (\(rows(">"))) \
            HAVING count(*) > 0 \(adding)
            """,
        ]
            + ItemClass.stored.map {
                "UPDATE counted SET last = \(lastRow(of: $0)) WHERE class = '\($0.code)' AND last < \(lastRow(of: $0))"
            }
    }

    /// The statements that make the counters anew from the rows.
    static var recount: [String] {
        ["DELETE FROM usage", "DELETE FROM counted"]
            + ItemClass.stored.map { "INSERT INTO counted VALUES ('\($0.code)', 0)" } + settling
    }

    /// How many owners have counters that are not what their rows say, found in one view of the store.
    static var wrongCounters: String {
        """
        SELECT count(*) FROM (SELECT ownr FROM (SELECT ownr, -items AS items, -bytes AS bytes FROM usage \
        UNION ALL \(rows("<=")) UNION ALL SELECT \(Ownership.everything), items, bytes FROM (\(rows("<=")))) \
        GROUP BY ownr HAVING sum(items) <> 0 OR sum(bytes) <> 0)
        """
    }

    private static let adding =
        "ON CONFLICT (ownr) DO UPDATE SET items = items + excluded.items, bytes = bytes + excluded.bytes"

    /// The rows of all classes on one side of the last that is counted.
    private static func rows(_ side: String) -> String {
        ItemClass.stored.map {
            "SELECT ownr, 1 AS items, \(Ownership.size("")) AS bytes FROM \($0.code) WHERE id \(side) \(lastCounted(of: $0))"
        }
        .joined(separator: " UNION ALL ")
    }

    private static func lastCounted(of itemClass: ItemClass) -> String {
        "(SELECT last FROM counted WHERE class = '\(itemClass.code)')"
    }

    private static func lastRow(of itemClass: ItemClass) -> String {
        "(SELECT coalesce(max(id), 0) FROM \(itemClass.code))"
    }
}
