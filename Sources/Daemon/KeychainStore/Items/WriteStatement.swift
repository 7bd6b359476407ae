import KeychainModel

/// The statements that change a store; each is compiled once.
enum WriteStatement: Hashable {
    case begin, commit, rollback, schemaVersion
    case savepoint, rollbackToSavepoint, release
    case insertion(ItemClass), replacement(ItemClass), deletion(ItemClass)
    case occupant(ItemClass), owner(ItemClass), quarantine(ItemClass), quarantineClass(ItemClass), quarantineMetadataKey
    case metadataKey
    case readMark, countTransaction, firstMark, nextMark, acceptedMark
    /// How much an owner has, and everybody.
    case usage
    case groupRecord, groupRecords, keepGroupRecord, dropGroupRecord
    case rowsOfGroup(ItemClass), lastRow(ItemClass), countOfGroup(ItemClass), deletionOfGroup(ItemClass)
    case groups(ItemClass), firstOfGroup(ItemClass)
    case keepVersion(ItemClass), addVersion, version, settleVersion, historyExcess
    case addLookup, endLookups
    case addShelf, deleteShelf, countShelves, countLaterShelves, countShelvesOfOthers
    case shelfTombstone, addShelfTombstone, deleteShelfTombstone
    case readChanges, dropChanges
    case markRecord, settleRecord, noteRecord, noteSent(Int), noteRename
    case raiseFloorTo, keepPiece, dropPiece, dataVersion, circleRow(ItemClass), circleShelf(isTombstone: Bool)
    case raiseFloor(CircleTables.Forgotten, RecordClass), forgetRecords(CircleTables.Forgotten, RecordClass)
    case forgetVersion, forgetItem, forgetGroup, forgetOwner, forgetOldest, forgetExpired, forgetOverflow
    /// Of a table, by protection class.
    case purge(String)

    /// The SQL, and what a person calls it.
    var text: (sql: String, action: String) {
        switch self {
        case .begin: ("BEGIN IMMEDIATE", "begin a change")
        case .commit: ("COMMIT", "keep a change")
        case .rollback: ("ROLLBACK", "undo a change")
        case .schemaVersion: ("PRAGMA schema_version", "be checked")
        case .savepoint: ("SAVEPOINT one", "begin a change")
        case .rollbackToSavepoint: ("ROLLBACK TO one", "undo a change")
        case .release: ("RELEASE one", "keep a change")
        case .insertion(let itemClass): (Schema.insertion(into: itemClass), "add an item")
        case .replacement(let itemClass): (Schema.replacement(in: itemClass), "change an item")
        case .deletion(let itemClass): ("DELETE FROM \(itemClass.code) WHERE id = ?", "delete an item")
        case .occupant(let itemClass):
            ("SELECT \(Schema.rowColumns(of: itemClass)) FROM \(itemClass.code) WHERE pk = ?", "find an item")
        case .owner(let itemClass):
            ("SELECT \(Ownership.column) FROM \(itemClass.code) WHERE id = ?", "find an item")
        case .quarantine(let itemClass): (Self.setAside(itemClass, by: "id"), "set a damaged item aside")
        case .quarantineClass(let itemClass): (Self.setAside(itemClass, by: "pdmn"), "set damaged items aside")
        case .quarantineMetadataKey: (Self.settingKeyAside, "set damaged items aside")
        case .metadataKey: (Self.keepingMetadataKey, "keep a metadata key")
        case .readMark: (MarkTable.reading, "tell its mark")
        case .countTransaction: (MarkTable.counting, "count a change")
        case .firstMark: (MarkTable.first, "be marked")
        case .nextMark: (MarkTable.following, "be marked")
        case .acceptedMark: (MarkTable.accepted, "be marked")
        case .usage: (UsageCounters.reading, "be counted")
        case .groupRecord: ("SELECT sealed FROM groupbook WHERE agrp = ?", "look up a group")
        case .groupRecords: ("SELECT agrp, sealed FROM groupbook", "look up groups")
        case .keepGroupRecord: (Self.keepingGroupRecord, "keep what is known of a group")
        case .dropGroupRecord: ("DELETE FROM groupbook WHERE agrp = ?", "forget a group")
        case .rowsOfGroup(let itemClass): (Self.rowsOfGroup(itemClass), "be searched")
        case .lastRow(let itemClass): ("SELECT coalesce(max(id), 0) FROM \(itemClass.code)", "be searched")
        case .countOfGroup(let itemClass):
            ("SELECT count(*) FROM \(itemClass.code) WHERE agrp = ? AND tomb = 0", "be counted")
        case .deletionOfGroup(let itemClass):
            ("DELETE FROM \(itemClass.code) WHERE agrp = ? AND tomb = 0", "delete a group's items")
        case .groups(let itemClass):
            ("SELECT agrp, count(*) FROM \(itemClass.code) WHERE tomb = 0 GROUP BY agrp", "be counted")
        case .firstOfGroup(let itemClass):
            ("SELECT \(Schema.rowColumns(of: itemClass)) FROM \(itemClass.code) WHERE agrp = ? LIMIT 8", "be searched")
        case .keepVersion(let itemClass): (HistoryTable.keeping(itemClass), "keep an earlier version")
        case .addVersion: (HistoryTable.adding, "keep an earlier version")
        case .version: (HistoryTable.version, "look at earlier versions")
        case .settleVersion: (HistoryTable.settling, "change an earlier version")
        case .historyExcess: (HistoryTable.excess, "look at earlier versions")
        case .addLookup: (LookupTable.insertion, "add an item")
        case .endLookups: (LookupTable.deletion, "change an item")
        case .addShelf: (ShelfTable.insertion, "add a shelf")
        case .deleteShelf: (ShelfTable.deletion, "delete a shelf")
        case .countShelves: (ShelfTable.count, "be counted")
        case .countLaterShelves: (ShelfTable.countSince, "be counted")
        case .countShelvesOfOthers: (ShelfTable.countOfOthers, "be counted")
        case .shelfTombstone: (ShelfTable.tombstone, "find a shelf")
        case .addShelfTombstone: (ShelfTable.tombstoneInsertion, "delete a shelf")
        case .deleteShelfTombstone: (ShelfTable.tombstoneDeletion, "add a shelf")
        case .readChanges: (ChangeTable.reading, "tell what has changed")
        case .dropChanges: (ChangeTable.deletion, "tell what has changed")
        case .markRecord: (CircleTables.mark, "mark a change")
        case .settleRecord: (CircleTables.settling, "take a mark off")
        case .noteRecord: (CircleTables.noting, "note a change")
        case .noteSent(let count): (CircleTables.sending(count), "note a change")
        case .noteRename: (CircleTables.renaming, "mark a change")
        case .dataVersion: ("PRAGMA data_version", "be searched")
        case .circleRow(let itemClass): (CircleTables.record(of: itemClass), "be searched")
        case .circleShelf(let isTombstone): (CircleTables.shelf(isTombstone: isTombstone), "be searched")
        case .raiseFloorTo: (CircleTables.raisingTo, "note a change")
        case .keepPiece: (CircleTables.keepingPiece, "keep what is known of a circle")
        case .dropPiece: (CircleTables.droppingPiece, "keep what is known of a circle")
        case .raiseFloor(let forgotten, let recordClass):
            (CircleTables.raising(forgotten, recordClass), "forget a record")
        case .forgetRecords(let forgotten, let recordClass):
            (CircleTables.forgetting(forgotten, recordClass), "forget a record")
        case .forgetVersion: ("DELETE FROM history WHERE id = ?", "drop an earlier version")
        case .forgetItem: ("DELETE FROM history WHERE class = ?1 AND (uuid = ?2 OR pk = ?3)", "drop earlier versions")
        case .forgetGroup: ("DELETE FROM history WHERE agrp = ?", "drop earlier versions")
        case .forgetOwner: ("DELETE FROM history WHERE ownr = ?", "drop earlier versions")
        case .forgetOldest: (HistoryTable.oldest, "drop earlier versions")
        case .forgetExpired: (HistoryTable.expiry, "drop earlier versions")
        case .forgetOverflow: (HistoryTable.overflow, "drop earlier versions")
        case .purge(let table): ("DELETE FROM \(table) WHERE pdmn = ?", "remove unreadable items")
        }
    }

    private static func setAside(_ itemClass: ItemClass, by column: String) -> String {
        let columns = "pdmn, uuid, pk, sync, tomb, wkey, meta, data"
        return "INSERT INTO quarantine (class, \(columns)) SELECT '\(itemClass.code)', \(columns) "
            + "FROM \(itemClass.code) WHERE \(column) = ?"
    }

    private static let settingKeyAside =
        "INSERT INTO quarantine (class, pdmn, uuid, pk, sync, tomb, wkey, meta, data) "
        + "SELECT 'metadatakeys', pdmn, x'', x'', 0, 0, wrapped, x'', x'' FROM metadatakeys WHERE pdmn = ?"

    private static let keepingGroupRecord =
        "INSERT INTO groupbook (agrp, sealed) VALUES (?, ?) ON CONFLICT (agrp) DO UPDATE SET sealed = excluded.sealed"

    private static func rowsOfGroup(_ itemClass: ItemClass) -> String {
        "SELECT \(Schema.rowColumns(of: itemClass)) FROM \(itemClass.code) WHERE agrp = ? AND id > ? AND id <= ? "
            + "ORDER BY id LIMIT 256"
    }

    private static let keepingMetadataKey =
        "INSERT INTO metadatakeys (pdmn, wrapped) VALUES (?, ?) "
        + "ON CONFLICT (pdmn) DO UPDATE SET wrapped = excluded.wrapped"
}
