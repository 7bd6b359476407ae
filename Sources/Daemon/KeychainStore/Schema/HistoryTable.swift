import KeychainModel

/// Earlier versions of items: what a row had before it was changed or deleted, sealed as it was.
///
/// A store of any version may have the table, and a release that does not know it ignores it. A version is inserted by
/// the transaction that ends it, and is kept for a limited time and within limits
/// (``StoreWriter/trimHistory(endedBefore:atMost:)``). `ended` is in microseconds since 2001, `event` a ``VersionEnd``,
/// `ownr` the program that ended it: its bytes count for that program. `lost` says whose change has come in its place,
/// and whether that is a conflict; it is NULL where a program of this keychain has ended it (``LostVersion``). The code
/// covers all columns as that of an item's row does; ``VersionColumns`` has them. The row of `usage` with the one-byte
/// owner `01` counts all versions.
enum HistoryTable {
    static let everything = "x'01'"
    static let lost = "lost"

    static let creation =
        [
            """
            CREATE TABLE IF NOT EXISTS history (id INTEGER PRIMARY KEY, class INTEGER NOT NULL, uuid BLOB NOT NULL, \
            pk BLOB NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, agrp BLOB, wkey BLOB NOT NULL, \
            meta BLOB NOT NULL, data BLOB NOT NULL, ownr BLOB NOT NULL, ended INTEGER NOT NULL, \
            event INTEGER NOT NULL, code BLOB NOT NULL, \(lost) BLOB)
            """
        ] + triggers.map { $0.replacing("CREATE TRIGGER", with: "CREATE TRIGGER IF NOT EXISTS", maxReplacements: 1) }

    /// As the schema has them.
    static let triggers = [
        """
        CREATE TRIGGER history_comes AFTER INSERT ON history BEGIN \
        INSERT INTO usage VALUES (NEW.ownr, 0, \(Ownership.size("NEW."))), \
        (\(Ownership.everything), 0, \(Ownership.size("NEW."))), (\(everything), 1, \(Ownership.size("NEW."))) \
        ON CONFLICT (ownr) DO UPDATE SET items = items + excluded.items, bytes = bytes + excluded.bytes; END
        """,
        """
        CREATE TRIGGER history_goes AFTER DELETE ON history BEGIN \
        UPDATE usage SET items = items - (ownr = \(everything)), bytes = bytes - (\(Ownership.size("OLD."))) \
        WHERE ownr IN (OLD.ownr, \(Ownership.everything), \(everything)); END
        """,
    ]
    static let looking = "SELECT 1 FROM sqlite_schema WHERE name = 'history'"

    /// Keeps the row of an item, whose number is the first parameter.
    static func keeping(_ itemClass: ItemClass) -> String {
        let columns = "uuid, pk, pdmn, sync, agrp, wkey, meta, data"
        return "INSERT INTO history (class, \(columns), ownr, ended, event, code, \(lost)) "
            + "SELECT \(itemClass.rawValue), \(columns), ?2, ?3, ?4, ?5, ?6 FROM \(itemClass.code) WHERE id = ?1"
    }

    /// Adds a version that no row has had.
    static let adding = """
        INSERT INTO history (uuid, pk, agrp, wkey, meta, data, ownr, code, class, pdmn, sync, ended, event, \(lost)) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Whether there is something to remove: one is from before a time, or all have more than so many bytes. The first
    /// need not be the oldest, where a clock was wrong for a while.
    static let excess = """
        SELECT coalesce((SELECT min(ended) FROM history), ?1) < ?1 \
        OR coalesce((SELECT bytes FROM usage WHERE ownr = \(everything)), 0) > ?2
        """
    static let expiry = "DELETE FROM history WHERE ended < ?"
    /// Removes the oldest, so that the others have so many bytes at most.
    static let overflow = """
        DELETE FROM history WHERE id <= (SELECT id FROM (SELECT id, sum(\(Ownership.size(""))) OVER (ORDER BY id DESC) \
        AS total FROM history) WHERE total > ? ORDER BY id DESC LIMIT 1)
        """
    /// The versions in whose place another machine's change has come.
    static let losers = "SELECT id, class, pk, \(lost) FROM history WHERE \(lost) IS NOT NULL ORDER BY id"
    static let version = "SELECT \(VersionColumns.text) FROM history WHERE id = ?"
    static let settling = "UPDATE history SET \(lost) = ?2, code = ?3 WHERE id = ?1"
    static let oldest = "DELETE FROM history WHERE id IN (SELECT id FROM history ORDER BY id LIMIT ?)"

    /// The versions of a class after a row that ended since a time, in the order in which they ended.
    ///
    /// - Parameters:
    ///   - groups: how many groups it looks at; nil for all.
    ///   - isOfOne: whether it looks at one item.
    static func search(groups: Int?, isOfOne: Bool) -> String {
        var conditions = ["class = ?", "id > ?", "ended >= ?"]
        if isOfOne { conditions.append("uuid = ?") }
        if let groups {
            conditions.append("agrp IN (\(Array(repeating: "?", count: groups).joined(separator: ", ")))")
        }
        return "SELECT \(VersionColumns.text) FROM history WHERE \(conditions.joined(separator: " AND ")) ORDER BY id"
    }
}

/// The columns of a version as every statement gives them: those of ``Schema/sealedColumnNames`` first, the code last.
enum VersionColumns {
    private static let names =
        Schema.sealedColumnNames + ["class", "agrp", "ownr", "ended", "event", HistoryTable.lost, RowCodes.column]
    /// No version is of a tombstone.
    static let text = names.map { $0 == "tomb" ? "0" : $0 }.joined(separator: ", ")
    static let ended = index("ended"), event = index("event"), lost = index(HistoryTable.lost)
    static let code = index(RowCodes.column)

    /// The columns that the code covers, in the order of the names.
    static let covered = names.enumerated().filter { !["id", "tomb", RowCodes.column].contains($0.element) }
        .sorted { $0.element < $1.element }.map {
            RowCodes.Column(name: Array($0.element.utf8), index: Int32($0.offset))
        }

    private static func index(_ name: String) -> Int32 { Int32(names.firstIndex(of: name) ?? 0) }
}
