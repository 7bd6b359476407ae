#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_sealed_file(const char *name, const void *bytes, size_t size) {
    int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    if ((size == 0 || pwrite(file, bytes, size, 0) == (ssize_t)size) && fcntl(file, F_ADD_SEALS, seals) == 0)
        return file;
    int failure = errno;
    close(file);
    errno = failure;
    return -1;
}

int clinux_close_from(posix_spawn_file_actions_t *actions, int number) {
    return posix_spawn_file_actions_addclosefrom_np(actions, number);
}

// All rights that the first version of Landlock knows, so that none stays open.
enum { every_right = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1 };

// The rights that apply to a file that is not a folder.
enum { rights_of_file = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE };

static const __u64 rights[] = {
    [CLINUX_READING] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    [CLINUX_USING] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE,
    [CLINUX_REPLACING] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE
                         | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE,
    [CLINUX_EVERYTHING] = every_right,
};

int clinux_landlock_rules(void) {
    struct landlock_ruleset_attr handled = {.handled_access_fs = every_right};
    return (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
}

int clinux_landlock_allow(int rules, int place, enum clinux_access access) {
    struct landlock_path_beneath_attr allowed = {.allowed_access = rights[access], .parent_fd = place};
    int result = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &allowed, 0);
    if (result == 0 || errno != EINVAL) return result;
    // It is not a folder. Its type is not checked, because that could take long on another machine.
    allowed.allowed_access &= rights_of_file;
    return (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &allowed, 0);
}

int clinux_landlock_apply(int rules) { return (int)syscall(SYS_landlock_restrict_self, rules, 0); }
