#include "CSQLiteLog.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// How much is gathered at most: about as much as a large batch of adds. SQLite's own write takes less than 128 KiB at once.
enum { CAPACITY = 64 << 10 };

// A log, with the file beneath it in the memory that follows.
struct gathered_log {
    sqlite3_file file;
    unsigned char *bytes;
    int count;
    sqlite3_int64 start;
};

struct gathering {
    sqlite3_vfs vfs;
    sqlite3_vfs *base;
};

static sqlite3_file *beneath(sqlite3_file *file) { return (sqlite3_file *)((struct gathered_log *)file + 1); }

// Writes what was gathered. When that fails it is forgotten: SQLite undoes a commit that was not written.
static int flush(sqlite3_file *file) {
    struct gathered_log *log = (struct gathered_log *)file;
    int count = log->count;
    log->count = 0;
    return count ? beneath(file)->pMethods->xWrite(beneath(file), log->bytes, count, log->start) : SQLITE_OK;
}

static int write_log(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    struct gathered_log *log = (struct gathered_log *)file;
    if (log->count && (offset != log->start + log->count || count > CAPACITY - log->count)) {
        int code = flush(file);
        if (code != SQLITE_OK) return code;
    }
    if (!log->bytes) log->bytes = malloc(CAPACITY);
    if (!log->bytes || count > CAPACITY) return beneath(file)->pMethods->xWrite(beneath(file), bytes, count, offset);
    if (!log->count) log->start = offset;
    memcpy(log->bytes + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

static int read_log(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = flush(file);
    return code == SQLITE_OK ? beneath(file)->pMethods->xRead(beneath(file), bytes, count, offset) : code;
}

static int truncate_log(sqlite3_file *file, sqlite3_int64 size) {
    int code = flush(file);
    return code == SQLITE_OK ? beneath(file)->pMethods->xTruncate(beneath(file), size) : code;
}

static int sync_log(sqlite3_file *file, int flags) {
    int code = flush(file);
    return code == SQLITE_OK ? beneath(file)->pMethods->xSync(beneath(file), flags) : code;
}

static int size_of_log(sqlite3_file *file, sqlite3_int64 *size) {
    int code = flush(file);
    return code == SQLITE_OK ? beneath(file)->pMethods->xFileSize(beneath(file), size) : code;
}

// What was not made durable by now belongs to no commit; in a forked child it is the parent's to write.
static int close_log(sqlite3_file *file) {
    free(((struct gathered_log *)file)->bytes);
    return beneath(file)->pMethods->xClose(beneath(file));
}

static int control_log(sqlite3_file *file, int operation, void *argument) {
    return beneath(file)->pMethods->xFileControl(beneath(file), operation, argument);
}

static int sector_size(sqlite3_file *file) { return beneath(file)->pMethods->xSectorSize(beneath(file)); }

static int characteristics(sqlite3_file *file) {
    return beneath(file)->pMethods->xDeviceCharacteristics(beneath(file));
}

// Logs are neither locked nor mapped; that concerns the database's own file.
static const sqlite3_io_methods log_methods = {
    .iVersion = 1, .xClose = close_log, .xRead = read_log, .xWrite = write_log, .xTruncate = truncate_log,
    .xSync = sync_log, .xFileSize = size_of_log, .xFileControl = control_log, .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given) {
    sqlite3_vfs *base = ((struct gathering *)vfs)->base;
    if (!(flags & SQLITE_OPEN_WAL)) return base->xOpen(base, name, file, flags, given);
    struct gathered_log *log = (struct gathered_log *)file;
    *log = (struct gathered_log){ 0 };
    int code = base->xOpen(base, name, beneath(file), flags, given);
    // SQLite closes what has methods, and only that.
    if (code == SQLITE_OK) log->file.pMethods = &log_methods;
    return code;
}

static int offer(struct gathering *made, const char *base, const char *name) {
    sqlite3_vfs *found = sqlite3_vfs_find(base);
    if (!found) return SQLITE_NOTFOUND;
    *made = (struct gathering){ .vfs = *found, .base = found };
    made->vfs.pNext = NULL;
    made->vfs.zName = name;
    made->vfs.szOsFile = (int)sizeof(struct gathered_log) + found->szOsFile;
    made->vfs.xOpen = open_file;
    return sqlite3_vfs_register(&made->vfs, 0);
}

int csqlite_offer_gathered_logs(void) {
    static struct gathering shared, exclusive;
    int code = offer(&shared, "unix", CSQLITE_SHARED);
    return code == SQLITE_OK ? offer(&exclusive, "unix-excl", CSQLITE_EXCLUSIVE) : code;
}

// Where the head has what, in units of four bytes. It is there twice, and after that is how many frames were moved.
enum { VERSION = 0, FRAMES = 4, FRAMES_MOVED = 24 };
// The only version of the index there is, and the size of its parts.
enum { INDEX_VERSION = 3007000, INDEX_PART = 32 << 10 };

static uint32_t word(const volatile uint64_t *shared, int index) { return ((const volatile uint32_t *)shared)[index]; }

// The database's own file; null when it is not open.
static sqlite3_file *database_of(sqlite3 *connection) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return code == SQLITE_OK && file && file->pMethods ? file : NULL;
}

int csqlite_make_durable(sqlite3 *connection) {
    sqlite3_file *file = database_of(connection);
    return file ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) : SQLITE_MISUSE;
}

const volatile uint64_t *csqlite_shared_head(sqlite3 *connection) {
    sqlite3_file *file = database_of(connection);
    if (!file || file->pMethods->iVersion < 2) return NULL;
    volatile void *index = NULL;
    // The first part of an index that is there already; it is not made here.
    int code = file->pMethods->xShmMap(file, 0, INDEX_PART, 0, &index);
    return code == SQLITE_OK && index && word(index, VERSION) == INDEX_VERSION ? index : NULL;
}

bool csqlite_log_is_at_rest(const volatile uint64_t *shared, uint32_t few) {
    uint32_t frames = word(shared, FRAMES);
    return frames < few || word(shared, FRAMES_MOVED) >= frames;
}
