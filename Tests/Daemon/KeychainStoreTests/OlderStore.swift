import KeychainModel

@testable import KeychainStore

/// The first version of the store.
enum OlderStore {
    /// The statements that made an empty one.
    static let creation =
        ItemClass.stored.map(table) + [
            "CREATE TABLE metadatakeys (pdmn INTEGER PRIMARY KEY, wrapped BLOB NOT NULL)",
            """
            CREATE TABLE quarantine (id INTEGER PRIMARY KEY, class TEXT NOT NULL, pdmn INTEGER NOT NULL, \
            uuid BLOB NOT NULL, pk BLOB NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL, \
            wkey BLOB NOT NULL, meta BLOB NOT NULL, data BLOB NOT NULL)
            """,
        ]

    /// The attributes that had a column.
    static func digests(of itemClass: ItemClass) -> [ItemAttribute] {
        (ColumnMigration.olderDigests[itemClass] ?? "").split(separator: " ").compactMap {
            AttributeTable.attribute(code: String($0))
        }
    }

    private static func table(of itemClass: ItemClass) -> String {
        let digests = digests(of: itemClass).map { "\($0.code) BLOB\($0.missing == .absent ? "" : " NOT NULL")" }
        let columns =
            [
                "id INTEGER PRIMARY KEY", "uuid BLOB NOT NULL UNIQUE", "pk BLOB NOT NULL UNIQUE",
                "pdmn INTEGER NOT NULL", "sync INTEGER NOT NULL", "tomb INTEGER NOT NULL",
            ] + digests + ["wkey BLOB NOT NULL", "meta BLOB NOT NULL", "data BLOB NOT NULL"]
        return "CREATE TABLE \(itemClass.code) (\(columns.joined(separator: ", ")))"
    }
}
