import KeychainModel

/// The shelves, whose keys wrap the keys of protected files: sealed records, which no request for items sees. Programs
/// that delete all their items must not make their files unreadable.
///
/// A store of any version may have the table; it is made with the first shelf. `place` is the digest of group, classes,
/// access control and name, under which the engine finds the shelf that takes new files. It is empty for a shelf from
/// another machine, which takes none. `ownr` is the digest of the program that made it, `made` the second since 2001.
///
/// While the keychain belongs to a circle of machines, a shelf that other machines may have leaves a tombstone when it
/// is deleted: its id, sealed so that nobody else can have written it. Their table is made with the first of them.
enum ShelfTable {
    static let creation = [
        """
        CREATE TABLE IF NOT EXISTS shelf (id BLOB PRIMARY KEY, place BLOB NOT NULL, ownr BLOB NOT NULL, \
        made INTEGER NOT NULL, sealed BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS shelf_place ON shelf (place, made, id)",
    ]
    static let tombstones = "shelftomb"
    static let tombstoneCreation =
        "CREATE TABLE IF NOT EXISTS \(tombstones) (id BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID"
    static let lookingForTombstones = "SELECT 1 FROM sqlite_schema WHERE name = '\(tombstones)'"
    static let tombstone = "SELECT id, sealed FROM \(tombstones) WHERE id = ?"
    static let tombstoneInsertion = "INSERT OR REPLACE INTO \(tombstones) (id, sealed) VALUES (?, ?)"
    static let tombstoneDeletion = "DELETE FROM \(tombstones) WHERE id = ?"

    static let looking = "SELECT 1 FROM sqlite_schema WHERE name = 'shelf'"

    static let lookup = "SELECT id, sealed FROM shelf WHERE id = ?"
    static let ofPlace = "SELECT id, sealed FROM shelf WHERE place = ? ORDER BY made, id"
    static let following = "SELECT id, sealed FROM shelf WHERE id > ? ORDER BY id"
    static let count =
        "SELECT count(CASE WHEN place <> x'' THEN 1 END), count(CASE WHEN ownr = ? THEN 1 END) FROM shelf"
    static let countOfOthers = "SELECT count(*) FROM shelf WHERE place = x''"
    static let countSince = "SELECT count(*), count(CASE WHEN made > ? THEN 1 END) FROM shelf"
    static let insertion = "INSERT INTO shelf (id, place, ownr, made, sealed) VALUES (?, ?, ?, ?, ?)"
    static let deletion = "DELETE FROM shelf WHERE id = ?"
}
