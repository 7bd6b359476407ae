import KeychainModel

/// The rows that the open transaction has changed, each with its group: a table of the writing connection alone, which
/// triggers fill. It is made when somebody asks for changes first. A tombstone is in no group: programs see none.
///
/// SQLite keeps it with the transaction: what is undone, as a whole or to a savepoint, is not in it.
enum ChangeTable {
    static let creation =
        [
            "PRAGMA temp_store = MEMORY",
            "CREATE TEMP TABLE IF NOT EXISTS changed (class INTEGER NOT NULL, uuid BLOB NOT NULL, agrp BLOB NOT NULL, "
                + "PRIMARY KEY (class, uuid, agrp)) WITHOUT ROWID",
        ] + ItemClass.stored.flatMap(triggers)

    static let reading = "SELECT class, uuid, agrp FROM temp.changed"
    static let deletion = "DELETE FROM temp.changed"

    private static func triggers(_ itemClass: ItemClass) -> [String] {
        let note = { (row: String) in
            "INSERT OR IGNORE INTO changed VALUES (\(itemClass.rawValue), \(row).uuid, "
                + "CASE \(row).tomb WHEN 0 THEN \(row).agrp ELSE x'' END);"
        }
        let events = [
            ("INSERT", note("NEW")), ("UPDATE", note("OLD") + " " + note("NEW")), ("DELETE", note("OLD")),
        ]
        return events.map { event, body in
            "CREATE TEMP TRIGGER IF NOT EXISTS \(itemClass.code)_\(event.lowercased()) "
                + "AFTER \(event) ON main.\(itemClass.code) BEGIN \(body) END"
        }
    }
}
