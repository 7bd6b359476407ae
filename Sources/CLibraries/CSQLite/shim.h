#pragma once
#include <sqlite3.h>

// Functions that Swift cannot call because they are variadic.

/// Closing this connection leaves the write-ahead log as it is, even if it is the last one.
static inline int csqlite_leave_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Turns SQLite's accounting of memory off for the whole process. Must be called before anything else of SQLite.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// The errno of the last failed write of the database itself, or of its log. sqlite3_system_errno may report that of a
/// later call. (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html)
static inline int csqlite_write_errno(sqlite3 *database, int inLog) {
    sqlite3_file *file = 0;
    int code = 0, which = inLog ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER;
    if (sqlite3_file_control(database, "main", which, &file) != SQLITE_OK || !file || !file->pMethods) return 0;
    return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK ? code : 0;
}
