import KeychainModel

/// The statements that change a store; each is compiled once.
enum Command: Hashable {
    case begin, commit, rollback
    case savepoint, rollbackToSavepoint, release
    case insertion(ItemClass), replacement(ItemClass), deletion(ItemClass)
    case occupant(ItemClass), quarantine(ItemClass)
    case metadataKey
    /// Of a table, by protection class.
    case purge(String)
    case checkpoint

    /// The SQL, and what a person calls it.
    var text: (sql: String, action: String) {
        switch self {
        case .begin: ("BEGIN IMMEDIATE", "begin a change")
        case .commit: ("COMMIT", "keep a change")
        case .rollback: ("ROLLBACK", "undo a change")
        case .savepoint: ("SAVEPOINT one", "begin a change")
        case .rollbackToSavepoint: ("ROLLBACK TO one", "undo a change")
        case .release: ("RELEASE one", "keep a change")
        case .insertion(let itemClass): (Schema.insertion(into: itemClass), "add an item")
        case .replacement(let itemClass): (Schema.replacement(in: itemClass), "change an item")
        case .deletion(let itemClass): ("DELETE FROM \(itemClass.code) WHERE id = ?", "delete an item")
        case .occupant(let itemClass):
            ("SELECT \(Schema.sealedColumns) FROM \(itemClass.code) WHERE pk = ?", "find an item")
        case .quarantine(let itemClass): (Self.setAside(itemClass), "set a damaged item aside")
        case .metadataKey: (Self.keepingMetadataKey, "keep a metadata key")
        case .purge(let table): ("DELETE FROM \(table) WHERE pdmn = ?", "remove unreadable items")
        case .checkpoint: ("PRAGMA wal_checkpoint(PASSIVE)", "be tidied up")
        }
    }

    private static func setAside(_ itemClass: ItemClass) -> String {
        let columns = "pdmn, uuid, pk, sync, tomb, wkey, meta, data"
        return "INSERT INTO quarantine (class, \(columns)) SELECT '\(itemClass.code)', \(columns) "
            + "FROM \(itemClass.code) WHERE id = ?"
    }

    private static let keepingMetadataKey =
        "INSERT INTO metadatakeys (pdmn, wrapped) VALUES (?, ?) "
        + "ON CONFLICT (pdmn) DO UPDATE SET wrapped = excluded.wrapped"
}
