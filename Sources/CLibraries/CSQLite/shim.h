#pragma once
#include <sqlite3.h>

// What Swift cannot call because it is variadic.

/// Makes closing this connection leave the write-ahead log as it is, also when it is the last one.
static inline int csqlite_leave_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Has SQLite keep no account of the memory it uses, for the whole process and before anything of it is used.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// The errno of the last write that failed in the database itself, or in its log. What sqlite3_system_errno says may be of a
/// later call. (https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html)
static inline int csqlite_write_errno(sqlite3 *database, int inLog) {
    sqlite3_file *file = 0;
    int code = 0, which = inLog ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER;
    if (sqlite3_file_control(database, "main", which, &file) != SQLITE_OK || !file || !file->pMethods) return 0;
    return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &code) == SQLITE_OK ? code : 0;
}
