#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_has_more_than_its_user(void) { return getauxval(AT_SECURE) != 0; }

int clinux_set_group(gid_t group) { return setresgid(group, group, group); }

int clinux_become(uid_t user, gid_t group, const gid_t *groups, size_t count) {
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return -1;
    if (setgroups(count, groups) != 0) return -1;
    if (setresgid(group, group, group) != 0 || setresuid(user, user, user) != 0) return -1;
    return prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
}

int clinux_limit_capabilities(uint64_t kept) {
    for (int capability = 0; capability < 64; capability++) {
        if (kept >> capability & 1 || prctl(PR_CAPBSET_READ, capability, 0, 0, 0) != 1) continue;
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return -1;
    }
    return 0;
}

int clinux_set_capabilities(uint64_t kept) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    for (int half = 0; half < 2; half++) {
        uint32_t bits = (uint32_t)(kept >> (32 * half));
        data[half] = (struct __user_cap_data_struct){bits, bits, bits};
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
    if (syscall(SYS_capset, &header, data) != 0) return -1;
    for (int capability = 0; capability < 64; capability++) {
        if (!(kept >> capability & 1)) continue;
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) return -1;
    }
    return 0;
}
