#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/xattr.h>
#include <unistd.h>

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_make_temporary(char *path) { return mkostemp(path, O_CLOEXEC); }

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

int clinux_has_capabilities(int file) { return fgetxattr(file, "security.capability", NULL, 0) > 0; }
