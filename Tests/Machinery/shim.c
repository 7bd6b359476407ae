// Records the changes that a program makes to the files of one folder, in order, and makes calls fail when a test says
// so.
//
// Loaded with LD_PRELOAD into unchanged programs. All of them write one record of their writes, syncs, truncations and
// changes of names, under one lock, so that the order of the record is the order of events. trace.py reads it.
//
//     SHIM_FOLDER   the folder whose files are recorded
//     SHIM_TRACE    the record; nothing is written where this is not set
//     SHIM_CONTROL  a file that the processes share: the lock and the counts
//     SHIM_MARKS    set: what the program writes to its standard output is in the record, too
//     SHIM_FAULT    KIND:N:ERRNO:once|always. KIND is one of write sync truncate open mmap sqlite openssl read.
//                   The N-th call of that kind fails.
//     SHIM_SHADOW   a folder with each file as it was at its last sync: after a sync that was made to fail, the file
//                   has that again

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <sqlite3.h>

enum kind { WRITE, SYNC, TRUNCATE, OPEN, MMAP, SQLITE, OPENSSL, READ, KINDS };
static const char *const names[KINDS] = { "write", "sync", "truncate", "open", "mmap", "sqlite", "openssl", "read" };
// The kinds of records.
enum record {
    R_WRITE = 'w', R_SYNC = 's', R_FAILED_SYNC = 'f', R_SIZE = 't', R_CREATE = 'c', R_RENAME = 'r', R_UNLINK = 'u',
    R_FOLDER_SYNC = 'd', R_MARK = 'm'
};

struct header {
    uint32_t magic;
    uint32_t record;
    uint32_t process;
    uint32_t name_length;
    uint64_t file;
    uint64_t offset;
    uint64_t length;
};

struct control {
    pthread_mutex_t lock;
    uint32_t ready;
    uint32_t fired;
    uint64_t counts[KINDS];
};

static struct control *control;
static int trace = -1;
static bool marks;
static char folder[PATH_MAX], shadow[PATH_MAX];
static size_t folder_length;
static struct { int kind; uint64_t number; int error; bool always; } fault = { .kind = -1 };

// The kinds of descriptors: not ours, a file of the folder, or the folder itself.
enum { FILES = 65536 };
static unsigned char what[FILES];
enum { OTHER, FILE_OF_FOLDER, FOLDER };

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static void lock(void) {
    if (pthread_mutex_lock(&control->lock) == EOWNERDEAD) pthread_mutex_consistent(&control->lock);
}

static void unlock(void) { pthread_mutex_unlock(&control->lock); }

// Whether this one is to fail; counts it. Called under the lock.
static bool fails(enum kind kind) {
    uint64_t number = ++control->counts[kind];
    if (fault.kind != (int)kind || number < fault.number || (number > fault.number && !fault.always)) return false;
    control->fired = 1;
    errno = fault.error;
    return true;
}

static void write_down(
    enum record record, uint64_t file, const char *name, uint64_t offset, const void *bytes, uint64_t length,
    bool has_bytes) {
    if (trace < 0) return;
    int error = errno;
    uint32_t name_length = name ? (uint32_t)strlen(name) : 0;
    struct header header = { 0x4d494853, record, (uint32_t)getpid(), name_length, file, offset, length };
    struct iovec parts[3] = { { &header, sizeof header }, { (void *)name, header.name_length },
        { (void *)bytes, has_bytes ? length : 0 } };
    if (writev(trace, parts, 3) < 0) abort();
    errno = error;
}

static uint64_t number_of(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

// The name inside the folder; null for anything else.
static const char *inside(const char *path) {
    if (!folder_length || !path || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return NULL;
    return path + folder_length + 1;
}

static bool is_ours(int file) { return control && file >= 0 && file < FILES && what[file] == FILE_OF_FOLDER; }

// A file that is open in another way is opened once more and stays open: to close it gives up the locks that the
// process has on the file (fcntl(2)).
static int open_for(int file, int access) {
    char path[64];
    int flags = fcntl(file, F_GETFL) & O_ACCMODE;
    if (flags == access || flags == O_RDWR) return file;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    REAL(open);
    return real(path, access | O_CLOEXEC);
}

// Gives `to` the bytes of `from`, and zeros from there to `size`.
static void copy(int from, int to, off_t size) {
    static __thread char bytes[1 << 16];
    REAL(pwrite);
    __typeof__(pread) *from_file = (__typeof__(pread) *)dlsym(RTLD_NEXT, "pread");
    for (off_t offset = 0; offset < size;) {
        ssize_t count = from < 0 ? 0 : from_file(from, bytes, sizeof bytes, offset);
        if (count <= 0) memset(bytes, 0, sizeof bytes), count = sizeof bytes;
        if (count > size - offset) count = size - offset;
        if (real(to, bytes, (size_t)count, offset) != count) abort();
        offset += count;
    }
}

static int open_shadow(int file, int flags) {
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%llu", shadow, (unsigned long long)number_of(file));
    REAL(open);
    return real(path, flags | O_CLOEXEC, 0600);
}

// Keeps what the disk has now.
static void keep_shadow(int file) {
    struct stat status;
    if (!shadow[0] || fstat(file, &status) != 0) return;
    int to = open_shadow(file, O_RDWR | O_CREAT | O_TRUNC);
    if (to < 0) abort();
    copy(open_for(file, O_RDONLY), to, status.st_size);
    close(to);
}

// Gives the file what the disk had at its last sync, as a file system does that drops pages it could not write.
static void drop_pages(int file) {
    int error = errno;
    struct stat status;
    if (!shadow[0] || fstat(file, &status) != 0) return;
    int from = open_shadow(file, O_RDONLY);
    copy(from, open_for(file, O_WRONLY), status.st_size);
    if (from >= 0) close(from);
    errno = error;
}

// MARK: Writes

static void note_write(int file, const void *bytes, ssize_t count, off_t offset) {
    if (count > 0) write_down(R_WRITE, number_of(file), NULL, (uint64_t)offset, bytes, (uint64_t)count, true);
}

// Where a write that names no place goes.
static off_t place(int file) {
    struct stat status;
    if (fcntl(file, F_GETFL) & O_APPEND) return fstat(file, &status) == 0 ? status.st_size : 0;
    return lseek(file, 0, SEEK_CUR);
}

#define OURS(kind, failure, record_it) do { lock(); \
    if (fails(kind)) { unlock(); return failure; } \
    record_it; unlock(); return result; } while (0)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    if (marks && file == STDOUT_FILENO && control) {
        lock();
        write_down(R_MARK, 0, NULL, 0, bytes, count, true);
        unlock();
    }
    if (!is_ours(file)) return real(file, bytes, count);
    OURS(WRITE, -1, off_t offset = place(file); ssize_t result = real(file, bytes, count);
        note_write(file, bytes, result, offset));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    if (!is_ours(file)) return real(file, bytes, count, offset);
    OURS(WRITE, -1, ssize_t result = real(file, bytes, count, offset); note_write(file, bytes, result, offset));
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return pwrite(file, bytes, count, offset); }

// MARK: Reads

ssize_t read(int file, void *bytes, size_t count) {
    REAL(read);
    if (!is_ours(file)) return real(file, bytes, count);
    OURS(READ, -1, ssize_t result = real(file, bytes, count));
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    REAL(pread);
    if (!is_ours(file)) return real(file, bytes, count, offset);
    OURS(READ, -1, ssize_t result = real(file, bytes, count, offset));
}
ssize_t pread64(int file, void *bytes, size_t count, off_t offset) { return pread(file, bytes, count, offset); }

// MARK: Sizes

static int resized(int file, int result) {
    struct stat status;
    if (result == 0 && fstat(file, &status) == 0)
        write_down(R_SIZE, status.st_ino, NULL, (uint64_t)status.st_size, NULL, 0, false);
    return result;
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    if (!is_ours(file)) return real(file, size);
    OURS(TRUNCATE, -1, int result = resized(file, real(file, size)));
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }

int fallocate(int file, int mode, off_t offset, off_t size) {
    REAL(fallocate);
    if (!is_ours(file)) return real(file, mode, offset, size);
    OURS(TRUNCATE, -1, int result = resized(file, real(file, mode, offset, size)));
}
int fallocate64(int file, int mode, off_t offset, off_t size) { return fallocate(file, mode, offset, size); }

int posix_fallocate(int file, off_t offset, off_t size) {
    REAL(posix_fallocate);
    if (!is_ours(file)) return real(file, offset, size);
    OURS(TRUNCATE, errno, int result = resized(file, real(file, offset, size)));
}
int posix_fallocate64(int file, off_t offset, off_t size) { return posix_fallocate(file, offset, size); }

// MARK: Syncs

static int synced(int file, int result) {
    if (result == 0) {
        write_down(R_SYNC, number_of(file), NULL, 0, NULL, 0, false);
        keep_shadow(file);
    }
    return result;
}

static int sync_file(int file, int (*real)(int)) {
    if (!control || file < 0 || file >= FILES || what[file] == OTHER) return real(file);
    lock();
    bool failed = fails(SYNC);
    int result = -1;
    if (what[file] == FOLDER) {
        result = failed ? -1 : real(file);
        if (!failed) write_down(R_FOLDER_SYNC, 0, NULL, 0, NULL, 0, false);
    } else if (failed) {
        write_down(R_FAILED_SYNC, number_of(file), NULL, 0, NULL, 0, false);
        drop_pages(file);
    } else {
        result = synced(file, real(file));
    }
    unlock();
    return result;
}

int fsync(int file) { REAL(fsync); return sync_file(file, real); }
int fdatasync(int file) { REAL(fdatasync); return sync_file(file, real); }

// MARK: Names

static int opened(int file, const char *path, bool is_new) {
    if (file < 0 || file >= FILES) return file;
    const char *name = inside(path);
    what[file] = name ? FILE_OF_FOLDER : folder_length && strcmp(path, folder) == 0 ? FOLDER : OTHER;
    if (name && is_new) write_down(R_CREATE, number_of(file), name, 0, NULL, 0, false);
    return file;
}

static bool exists(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0;
}

typedef int opener(const char *, int, ...);

static int open_with(opener *real, const char *path, int flags, mode_t mode) {
    if (!control || (!inside(path) && (!path || strcmp(path, folder) != 0))) {
        int file = real(path, flags, mode);
        if (file >= 0 && file < FILES) what[file] = OTHER;
        return file;
    }
    lock();
    bool is_new = (flags & O_CREAT) && !exists(path);
    int file = fails(OPEN) ? -1 : opened(real(path, flags, mode), path, is_new);
    unlock();
    return file;
}

#define OPENER(name) int name(const char *path, int flags, ...) { \
    REAL(name); va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
    return open_with((opener *)real, path, flags, mode); }
OPENER(open)
OPENER(open64)

int __open_2(const char *path, int flags) { return open(path, flags, 0); }
int __open64_2(const char *path, int flags) { return open64(path, flags, 0); }

static int make_temporary(char *path, int flags, int (*real)(char *, int)) {
    if (!control || !inside(path)) return real(path, flags);
    lock();
    int file = fails(OPEN) ? -1 : real(path, flags);
    opened(file, path, true);
    unlock();
    return file;
}
int mkostemp(char *path, int flags) { REAL(mkostemp); return make_temporary(path, flags, real); }
int mkostemp64(char *path, int flags) { REAL(mkostemp64); return make_temporary(path, flags, real); }

int mknod(const char *path, mode_t mode, dev_t device) {
    REAL(mknod);
    if (!control || !inside(path)) return real(path, mode, device);
    lock();
    int result = fails(OPEN) ? -1 : real(path, mode, device);
    struct stat status;
    if (result == 0 && lstat(path, &status) == 0) write_down(R_CREATE, status.st_ino, inside(path), 0, NULL, 0, false);
    unlock();
    return result;
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (!control || !inside(from) || !inside(to)) return real(from, to);
    lock();
    int result = real(from, to);
    if (result == 0) write_down(R_RENAME, 0, inside(from), 0, inside(to), strlen(inside(to)), true);
    unlock();
    return result;
}

static int removed(int result, const char *name) {
    if (result == 0 && name) write_down(R_UNLINK, 0, name, 0, NULL, 0, false);
    return result;
}

int unlink(const char *path) {
    REAL(unlink);
    if (!control || !inside(path)) return real(path);
    lock();
    int result = removed(real(path), inside(path));
    unlock();
    return result;
}

int close(int file) {
    REAL(close);
    if (file >= 0 && file < FILES) what[file] = OTHER;
    return real(file);
}

// MARK: Memory

static void *map_with(
    void *(*real)(void *, size_t, int, int, int, off_t), void *address, size_t size, int protection, int flags,
    int file, off_t offset) {
    if (!is_ours(file)) return real(address, size, protection, flags, file, offset);
    lock();
    void *result = fails(MMAP) ? MAP_FAILED : real(address, size, protection, flags, file, offset);
    unlock();
    return result;
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    REAL(mmap);
    return map_with(real, address, size, protection, flags, file, offset);
}
void *mmap64(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    REAL(mmap64);
    return map_with(real, address, size, protection, flags, file, offset);
}

static bool memory_fails(enum kind kind) {
    if (!control || fault.kind != (int)kind) return false;
    lock();
    bool failed = fails(kind);
    unlock();
    return failed;
}

static sqlite3_mem_methods sqlite;
static void *sqlite_malloc(int size) { return memory_fails(SQLITE) ? NULL : sqlite.xMalloc(size); }
static void *sqlite_realloc(void *old, int size) { return memory_fails(SQLITE) ? NULL : sqlite.xRealloc(old, size); }

static void *openssl_malloc(size_t size, const char *file, int line) {
    return memory_fails(OPENSSL) ? NULL : malloc(size);
}
static void *openssl_realloc(void *old, size_t size, const char *file, int line) {
    return size && memory_fails(OPENSSL) ? NULL : realloc(old, size);
}
static void openssl_free(void *memory, const char *file, int line) { free(memory); }

static void take_allocators(void) {
    if (fault.kind == SQLITE) {
        __typeof__(sqlite3_config) *configure = (__typeof__(sqlite3_config) *)dlsym(RTLD_DEFAULT, "sqlite3_config");
        if (configure && configure(SQLITE_CONFIG_GETMALLOC, &sqlite) == SQLITE_OK) {
            sqlite3_mem_methods ours = sqlite;
            ours.xMalloc = sqlite_malloc;
            ours.xRealloc = sqlite_realloc;
            configure(SQLITE_CONFIG_MALLOC, &ours);
        }
    }
    if (fault.kind == OPENSSL) {
        void *found = dlsym(RTLD_DEFAULT, "CRYPTO_set_mem_functions");
        int (*set)(void *, void *, void *) = (int (*)(void *, void *, void *))found;
        if (set && set(openssl_malloc, openssl_realloc, openssl_free) != 1) abort();
    }
}

// MARK: Beginning

static void read_fault(const char *text) {
    char kind[16], often[16];
    unsigned long long number;
    if (!text || sscanf(text, "%15[^:]:%llu:%d:%15s", kind, &number, &fault.error, often) != 4) return;
    for (int index = 0; index < KINDS; index++) if (strcmp(kind, names[index]) == 0) fault.kind = index;
    fault.number = number;
    fault.always = strcmp(often, "always") == 0;
}

static struct control *share(const char *path) {
    __typeof__(mmap) *map = (__typeof__(mmap) *)dlsym(RTLD_NEXT, "mmap");
    int file = ((opener *)dlsym(RTLD_NEXT, "open"))(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return NULL;
    struct control *made = map(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return made == MAP_FAILED ? NULL : made;
}

// The first process makes the lock; a test starts it before the others.
static void make_lock(struct control *made) {
    if (made->ready) return;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&made->lock, &attributes);
    made->ready = 1;
}

__attribute__((constructor)) static void begin(void) {
    const char *where = getenv("SHIM_FOLDER"), *shared = getenv("SHIM_CONTROL"), *record = getenv("SHIM_TRACE");
    if (!where || !shared) return;
    snprintf(folder, sizeof folder, "%s", where);
    folder_length = strlen(folder);
    snprintf(shadow, sizeof shadow, "%s", getenv("SHIM_SHADOW") ? getenv("SHIM_SHADOW") : "");
    marks = getenv("SHIM_MARKS") != NULL;
    read_fault(getenv("SHIM_FAULT"));
    struct control *made = share(shared);
    if (!made) abort();
    make_lock(made);
    if (record) {
        int file = ((opener *)dlsym(RTLD_NEXT, "open"))(record, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        // Out of the way of programs that look at their lowest descriptors.
        trace = fcntl(file, F_DUPFD_CLOEXEC, 900);
        close(file);
        if (trace < 0) abort();
    }
    take_allocators();
    control = made;
}
