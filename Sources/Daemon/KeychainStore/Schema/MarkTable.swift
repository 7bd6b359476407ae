/// The store's mark: one row, which every transaction counts a write in.
///
/// A store of any version may have the table. A release that does not know it ignores it, and its writes are not
/// counted then. Until the enclave has marked the store there is no row. ``StoreMark`` says what the mark is worth.
/// `writes` says how many transactions came since its block began, and is bound by nothing.
enum MarkTable {
    static let creation = """
        CREATE TABLE IF NOT EXISTS mark (id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL, \
        block INTEGER NOT NULL, code BLOB NOT NULL, writes INTEGER NOT NULL)
        """
    static let looking = "SELECT 1 FROM sqlite_schema WHERE name = 'mark'"

    static let reading = "SELECT changes, block, code FROM mark"
    static let counting = "UPDATE mark SET writes = writes + 1 RETURNING changes, block, writes"
    /// A mark for a store that has none.
    static let first = "INSERT OR IGNORE INTO mark VALUES (1, ?1, ?2, ?3, 0)"
    /// A mark in place of the one that the enclave was shown.
    static let following = """
        UPDATE mark SET changes = ?1, code = ?3, block = ?2, writes = CASE WHEN block = ?2 THEN writes ELSE 0 END \
        WHERE changes = ?4 AND block = ?5 AND code = ?6
        """
    /// A mark whatever there is.
    static let accepted = "INSERT OR REPLACE INTO mark VALUES (1, ?1, ?2, ?3, 0)"
}
