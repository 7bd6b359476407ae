import CSQLite

/// Settings for all uses of SQLite in a process. Only this project's own programs make them: in a program that embeds
/// the keychain, SQLite may be somebody else's too.
package enum DatabaseLibrary {
    /// Has it not count how much memory it uses, for which it takes a lock at each of the twenty allocations and
    /// releases of a lookup. To be called before a store is opened.
    ///
    /// - Returns: false when SQLite was in use already; then nothing has changed.
    @discardableResult
    package static func belongsToThisProcess() -> Bool { csqlite_count_no_memory() == SQLITE_OK }

    /// How many bytes SQLite has counted.
    static var countedMemory: Int64 { sqlite3_memory_used() }
}
