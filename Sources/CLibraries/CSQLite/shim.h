#pragma once
#include <sqlite3.h>

// What Swift cannot call because it is variadic.

/// Makes closing this connection leave the write-ahead log as it is, also when it is the last one.
static inline int csqlite_leave_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Has SQLite keep no account of the memory it uses, for the whole process and before anything of it is used.
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
