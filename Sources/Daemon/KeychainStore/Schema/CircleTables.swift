import KeychainModel

/// The records of a store whose keychain belongs to a circle of machines, and which of them other machines have not
/// got yet.
///
/// The tables are there if and only if the keychain belongs to a circle: a store without them marks nothing and leaves
/// no tombstones. A record is an item that other machines may have, or its tombstone, by class and primary key.
///
/// `hlc` is the stamp of its last change here, in microseconds since 1970 or more; 0 where the row is from before the
/// circle, whose modification date counts. `dirty` is 1 while other machines have not got that change, and may be 2
/// where a batch has it that is about to be sent. New records must be above `floor`, which is raised by a record that
/// goes: what comes again under its name is later. Nothing binds these columns, so that numbers that make no sense
/// count as 0. `origin` is the version that other machines have, or are about to have, if there is one, in a form of
/// synchronisation's own. It begins with the 16 bytes that they call the record by. `previous` are those of the record
/// that an item was before it took another primary key. `base` is the stamp of the version that the present one was
/// made from, of those that other machines may have.
///
/// `syncstate` has what the machine knows of its circle, in pieces.
enum CircleTables {
    static let creation = [
        "CREATE TABLE synccircle (id INTEGER PRIMARY KEY CHECK (id = 1), floor INTEGER NOT NULL)",
        """
        CREATE TABLE syncrow (class INTEGER NOT NULL, pk BLOB NOT NULL, hlc INTEGER NOT NULL, \
        dirty INTEGER NOT NULL, origin BLOB, previous BLOB, base INTEGER, PRIMARY KEY (class, pk)) WITHOUT ROWID
        """,
        "CREATE TABLE syncstate (name BLOB PRIMARY KEY, value BLOB NOT NULL, sealed BLOB) WITHOUT ROWID",
    ]
    static let names = ["synccircle", "syncrow", "syncstate"]
    static let looking = "SELECT 1 FROM sqlite_schema WHERE name = 'synccircle'"

    /// Stamps are smaller, so that adding to one never overflows.
    static let endOfTime: Int64 = 1 << 62

    /// The microseconds of a day. A record whose stamp is further ahead than that waits where it is read.
    static let day: Int64 = 24 * 3_600_000_000

    /// Makes the tables of a store, with marks for the items that are there.
    static var beginning: [String] {
        creation + ["INSERT INTO synccircle (id, floor) VALUES (1, 0)"]
            + ItemClass.stored.map { itemClass in
                "INSERT INTO syncrow (class, pk, hlc, dirty) SELECT \(itemClass.rawValue), pk, 0, 1 "
                    + "FROM \(itemClass.code) WHERE \(condition) AND tomb = 0"
            }
    }

    static let end = names.map { "DROP TABLE \($0)" } + ["DROP TABLE IF EXISTS \(ShelfTable.tombstones)"]

    /// Marks a record that is changed now: its class, its primary key, the time, and whether it is a tombstone. Other
    /// machines are told once which record an item was before.
    static let mark = """
        INSERT INTO syncrow (class, pk, hlc, dirty) \
        VALUES (?1, ?2, max(?3, coalesce((SELECT \(next("floor")) FROM synccircle), 0)), 1) \
        ON CONFLICT (class, pk) DO UPDATE SET hlc = max(excluded.hlc, \(next("hlc"))), dirty = 1, \
        previous = CASE WHEN dirty = 1 AND NOT ?4 THEN previous END, \
        base = CASE WHEN dirty = 0 THEN hlc ELSE base END
        """

    /// The rows whose records are forgotten.
    enum Forgotten: Hashable {
        /// One that has a primary key.
        case key
        /// One by its number.
        case row
        /// The items of a group.
        case group

        fileprivate func keys(_ table: String) -> String {
            switch self {
            case .key: "?1"
            case .row: "SELECT pk FROM \(table) WHERE id = ?1 AND sync = 1"
            case .group: "SELECT pk FROM \(table) WHERE agrp = ?1 AND tomb = 0 AND sync = 1"
            }
        }
    }

    /// Raises the floor to the stamps of records that are about to go, as far as they are before a time: a wrong stamp
    /// of one must not reach all others.
    static func raising(_ forgotten: Forgotten, _ recordClass: RecordClass) -> String {
        "UPDATE synccircle SET floor = max(\(next("floor")) - 1, coalesce((SELECT max(hlc) FROM syncrow WHERE "
            + "\(records(forgotten, recordClass)) AND typeof(hlc) = 'integer' AND hlc < ?2), 0))"
    }

    static func forgetting(_ forgotten: Forgotten, _ recordClass: RecordClass) -> String {
        "DELETE FROM syncrow WHERE \(records(forgotten, recordClass))"
    }

    private static func records(_ forgotten: Forgotten, _ recordClass: RecordClass) -> String {
        "class = \(recordClass.number) AND pk IN (\(forgotten.keys(recordClass.table)))"
    }

    /// Takes a mark off, unless the record has changed again.
    static let settling = "UPDATE syncrow SET dirty = 0 WHERE class = ?1 AND pk = ?2 AND hlc = ?3"

    /// The records of a class that other machines may get, with their rows.
    static func records(of itemClass: ItemClass) -> String {
        let table = itemClass.code
        return "SELECT syncrow.pk, hlc, dirty, origin, previous, pdmn, tomb, base FROM syncrow "
            + "JOIN \(table) ON \(table).pk = syncrow.pk WHERE syncrow.class = \(itemClass.rawValue) AND \(condition)"
    }

    /// The shelves of a store, and their tombstones. One that is in no record is from before the circle, or stays on
    /// this machine: that says its sealed part alone. It is as dirty as -1. `pdmn` is that of all records of shelves.
    ///
    /// - Parameter isTombstone: of which of the two tables.
    static func shelves(areTombstones isTombstone: Bool) -> String {
        let table = isTombstone ? ShelfTable.tombstones : "shelf"
        return "SELECT \(table).id, coalesce(hlc, 0), coalesce(dirty, -1), origin, NULL, "
            + "\(Accessibility.afterFirstUnlock.rawValue), \(isTombstone ? 1 : 0), base FROM \(table) "
            + "LEFT JOIN syncrow ON class = \(ShelfID.classNumber) AND pk = \(table).id"
    }

    /// The one with an id.
    static func shelf(isTombstone: Bool) -> String {
        shelves(areTombstones: isTombstone) + " WHERE \(isTombstone ? ShelfTable.tombstones : "shelf").id = ?"
    }

    /// How many shelves other machines have not got.
    static let markedShelves = "SELECT count(*) FROM syncrow WHERE class = \(ShelfID.classNumber) AND dirty <> 0"

    /// Whether a record is marked: its class and its primary key.
    static let isMarked = "SELECT dirty <> 0 FROM syncrow WHERE class = ?1 AND pk = ?2"

    /// The one with a primary key.
    static func record(of itemClass: ItemClass) -> String { records(of: itemClass) + " AND syncrow.pk = ?" }

    static let noting = """
        INSERT INTO syncrow (class, pk, hlc, dirty, origin, previous, base) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
        ON CONFLICT (class, pk) DO UPDATE SET hlc = excluded.hlc, \
        dirty = CASE WHEN excluded.dirty = 1 AND dirty = 2 THEN 2 ELSE excluded.dirty END, \
        origin = excluded.origin, previous = excluded.previous, base = excluded.base
        """

    /// Notes of so many records that a batch has them: of each its class, its primary key, and the version.
    static func sending(_ count: Int) -> String {
        let rows = Array(repeating: "(?, ?, ?)", count: count).joined(separator: ", ")
        return "WITH sent (class, pk, origin) AS (VALUES \(rows)) "
            + "UPDATE syncrow SET dirty = 2, origin = coalesce(syncrow.origin, sent.origin) FROM sent "
            + "WHERE syncrow.class = sent.class AND syncrow.pk = sent.pk AND dirty <> 0"
    }

    /// An item of a class has taken a primary key, the last, in place of another. It was the record that other machines
    /// know: the one of its old key, or the one that this had been before, where no batch has said so. There and back
    /// it is no other one.
    static let renaming = """
        UPDATE syncrow SET previous = nullif((SELECT coalesce(CASE WHEN old.dirty = 1 THEN old.previous END, \
        substr(old.origin, 1, 16)) FROM syncrow AS old WHERE old.class = ?1 AND old.pk = ?2), \
        coalesce(substr(origin, 1, 16), x'')) WHERE class = ?1 AND pk = ?3
        """
    static let raisingTo = "UPDATE synccircle SET floor = max(\(next("floor")) - 1, ?)"

    static let state = "SELECT name, value, sealed FROM syncstate ORDER BY name"
    static let keepingPiece = """
        INSERT INTO syncstate (name, value, sealed) VALUES (?1, ?2, ?3) \
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, sealed = excluded.sealed
        """
    static let droppingPiece = "DELETE FROM syncstate WHERE name = ?"

    /// The rows of a class whose records are marked, after a primary key.
    static func marked(_ itemClass: ItemClass) -> String {
        let table = itemClass.code
        return "SELECT \(Schema.rowColumns(of: itemClass, in: table)), syncrow.hlc FROM syncrow "
            + "JOIN \(table) ON \(table).pk = syncrow.pk WHERE syncrow.class = \(itemClass.rawValue) "
            + "AND syncrow.pk > ? AND dirty <> 0 AND \(condition) ORDER BY syncrow.pk"
    }

    /// The rows that other machines may get. Those of the other classes never leave this device.
    private static let condition = "sync = 1 AND pdmn < 4"

    /// The number after the one in a column, or 1 where none stands there.
    private static func next(_ column: String) -> String {
        "CASE WHEN typeof(\(column)) = 'integer' AND \(column) BETWEEN 0 AND \(endOfTime - 2) "
            + "THEN \(column) ELSE 0 END + 1"
    }
}
