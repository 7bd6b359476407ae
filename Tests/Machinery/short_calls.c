/* Has a program see what a kernel may do at any time: every second call for a file or a pipe is interrupted by a signal
   (EINTR), and the others read or write at most SHORT_CALLS bytes. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static atomic_ulong calls;

/* Whether this call is interrupted. Sockets have calls of their own. */
static bool interrupted(int file) {
    struct stat status;
    if (fstat(file, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISDIR(status.st_mode)))
        return false;
    if (atomic_fetch_add(&calls, 1) % 2 == 1) return false;
    errno = EINTR;
    return true;
}

static size_t less(int file, size_t count) {
    const char *text = getenv("SHORT_CALLS");
    size_t most = text ? (size_t)atol(text) : count;
    struct stat status;
    bool cuts = fstat(file, &status) == 0 && (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode));
    return cuts && count > most ? most : count;
}

ssize_t read(int file, void *bytes, size_t count) {
    REAL(read);
    return interrupted(file) ? -1 : real(file, bytes, less(file, count));
}

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    return interrupted(file) ? -1 : real(file, bytes, less(file, count));
}

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    REAL(pread);
    return interrupted(file) ? -1 : real(file, bytes, less(file, count), offset);
}
ssize_t pread64(int file, void *bytes, size_t count, off_t offset) { return pread(file, bytes, count, offset); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    return interrupted(file) ? -1 : real(file, bytes, less(file, count), offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) { return pwrite(file, bytes, count, offset); }

int fsync(int file) {
    REAL(fsync);
    return interrupted(file) ? -1 : real(file);
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    return interrupted(file) ? -1 : real(file, size);
}
int ftruncate64(int file, off_t size) { return ftruncate(file, size); }
