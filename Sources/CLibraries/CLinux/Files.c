#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fsverity.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_make_temporary(char *path) { return mkostemp(path, O_CLOEXEC); }

int clinux_make_unnamed(const char *folder) { return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); }

int clinux_give_name(int file, const char *path) {
    char own[32];
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int clinux_rename_new(const char *name, const char *path) {
    return renameat2(AT_FDCWD, name, AT_FDCWD, path, RENAME_NOREPLACE);
}

int clinux_memory_file(const char *name, size_t size) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (ftruncate(file, (off_t)size) == 0
        && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) return file;
    int failure = errno;
    close(file);
    errno = failure;
    return -1;
}

int clinux_is_sealed(int file) {
    int seals = fcntl(file, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && (seals & F_SEAL_GROW);
}

int clinux_is_pipe(int file) { return fcntl(file, F_GETPIPE_SZ) >= 0; }

// The type of a file, without asking its file system; 0 for a descriptor without one, such as a pidfd.
static int type(int file) {
    struct statx found;
    if (statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &found) < 0) return S_IFREG;
    return found.stx_mode & S_IFMT;
}

static int is_local_socket(int file) {
    int domain = 0;
    socklen_t size = sizeof domain;
    return getsockopt(file, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

int clinux_is_of_kernel(int file) {
    return is_local_socket(file) || fcntl(file, F_GET_SEALS) >= 0 || clinux_is_pipe(file) || type(file) == 0;
}

int clinux_is_device(int file) { return type(file) == S_IFCHR; }

static int64_t nanoseconds(struct statx_timestamp time) {
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + time.tv_nsec);
}

int clinux_file_version(int file, const char *path, struct clinux_file_version *version) {
    return clinux_find_version(file, path, 0, version);
}

int clinux_find_version(int file, const char *path, int as_known, struct clinux_file_version *version) {
    struct statx found;
    int flags = (path ? 0 : AT_EMPTY_PATH) | (as_known ? AT_STATX_DONT_SYNC : 0);
    if (statx(file < 0 ? AT_FDCWD : file, path ? path : "", flags, STATX_BASIC_STATS, &found) < 0) return -1;
    *version = (struct clinux_file_version){
        .device = makedev(found.stx_dev_major, found.stx_dev_minor), .inode = found.stx_ino, .links = found.stx_nlink,
        .size = (int64_t)found.stx_size, .modified = nanoseconds(found.stx_mtime),
        .changed = nanoseconds(found.stx_ctime),
        .owner = found.stx_uid, .group = found.stx_gid, .mode = found.stx_mode,
        .has_verity = (found.stx_attributes & STATX_ATTR_VERITY) != 0};
    return 0;
}

int clinux_executed_version(int folder, struct clinux_file_version *version) {
    return clinux_find_version(folder, "exe", 1, version);
}

int clinux_verity_digest(int file, uint8_t *digest, size_t room) {
    enum { longest = 64 };
    union {
        struct fsverity_digest head;
        uint8_t bytes[sizeof(struct fsverity_digest) + longest];
    } measured = {.head = {.digest_size = longest}};
    if (ioctl(file, FS_IOC_MEASURE_VERITY, &measured.head) < 0) return -1;
    size_t size = measured.head.digest_size;
    if (size > room || size > longest) {
        errno = EOVERFLOW;
        return -1;
    }
    memcpy(digest, measured.head.digest, size);
    return (int)size;
}

int clinux_file_system(int file, uint64_t *kind, int *is_nosuid) {
    struct statfs system;
    if (fstatfs(file, &system) < 0) return -1;
    *kind = (uint64_t)system.f_type & 0xffffffffu;
    *is_nosuid = (system.f_flags & ST_NOSUID) != 0;
    return 0;
}

int clinux_open_place(const char *path) { return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC); }

int clinux_hold_file(const char *path) { return open(path, O_PATH | O_CLOEXEC); }

int clinux_open_folder(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int clinux_open_beneath(const char *path, const char *name) {
    int folder = clinux_open_folder(path);
    if (folder < 0) return -1;
    struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int file = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    int failure = errno;
    close(folder);
    errno = failure;
    return file;
}

int clinux_find_folder(const char *root, const char *path) {
    int folder = clinux_open_folder(root);
    if (folder < 0) return -1;
    struct open_how how = {
        .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    int found = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    int failure = errno;
    close(folder);
    errno = failure;
    return found;
}

uint64_t clinux_device(uint32_t major, uint32_t minor) { return makedev(major, minor); }
int clinux_has_capabilities(int file) { return fgetxattr(file, "security.capability", NULL, 0) > 0; }

ssize_t clinux_attribute_names(int file, char *names, size_t room) { return flistxattr(file, names, room); }

ssize_t clinux_attribute(int file, const char *name, void *value, size_t room) {
    return fgetxattr(file, name, value, room);
}

int clinux_set_attribute(int file, const char *name, const void *value, size_t size) {
    return fsetxattr(file, name, value, size, 0);
}

static struct flock first_byte(short type) {
    return (struct flock) { .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };
}

int clinux_mark(int file, int sets) {
    struct flock mark = first_byte(sets ? F_WRLCK : F_UNLCK);
    return fcntl(file, F_OFD_SETLK, &mark);
}

int clinux_is_marked(int file) {
    struct flock mark = first_byte(F_WRLCK);
    return fcntl(file, F_OFD_GETLK, &mark) < 0 ? -1 : mark.l_type != F_UNLCK;
}

int clinux_lock(int file) {
    struct flock lock = first_byte(F_WRLCK);
    return fcntl(file, F_SETLK, &lock);
}

int clinux_lock_holder(int file, int32_t *process) {
    struct flock lock = first_byte(F_WRLCK);
    if (fcntl(file, F_GETLK, &lock) < 0) return -1;
    *process = lock.l_pid;
    return lock.l_type != F_UNLCK;
}
