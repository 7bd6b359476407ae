#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

int clinux_futex_wait(const void *word, uint32_t expected, int64_t nanoseconds) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return (int)syscall(SYS_futex, word, FUTEX_WAIT, expected, nanoseconds < 0 ? NULL : &limit, NULL, 0);
}

int clinux_futex_wake(const void *word, int count) {
    return (int)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_pidfd_kill(int pidfd) { return (int)syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0); }

// The first version of struct pidfd_info. The C library's headers may be too old to have it.
struct process_info {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};

int clinux_pidfd_real_group(int pidfd, gid_t *group) {
    const uint64_t credentials = 1u << 1;
    struct process_info info = {.mask = credentials};
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct process_info), &info) < 0) return -1;
    if (!(info.mask & credentials)) {
        errno = ENODATA;
        return -1;
    }
    *group = info.rgid;
    return 0;
}

int clinux_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
int clinux_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
void clinux_crash_silently(void) {
    static const int crashes[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    for (size_t index = 0; index < sizeof crashes / sizeof crashes[0]; index++) {
        struct sigaction action;
        // An ignored signal stays ignored: a program that is executed later inherits that.
        if (sigaction(crashes[index], NULL, &action) < 0 || action.sa_handler == SIG_IGN) continue;
        signal(crashes[index], SIG_DFL);
    }
}

int clinux_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int clinux_name_thread(const char *name) {
    errno = pthread_setname_np(pthread_self(), name);
    return errno == 0 ? 0 : -1;
}

void clinux_give_memory_back(void) { malloc_trim(0); }

int clinux_usable_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

enum { process_path_room = 64 };

/// The path of a file with a short name in a process's folder in /proc. Every new process that connects needs three of
/// them, and snprintf takes 1,000 instructions for each.
static const char *process_path(char path[process_path_room], unsigned process, const char *name) {
    char digits[10], *first = digits + sizeof digits;
    do *--first = '0' + process % 10;
    while (process /= 10);
    char *end = mempcpy(stpcpy(path, "/proc/"), first, digits + sizeof digits - first);
    *end++ = '/';
    memccpy(end, name, 0, path + process_path_room - end);
    path[process_path_room - 1] = 0;
    return path;
}

ssize_t clinux_process_link(int process, const char *name, char *text, size_t room) {
    char path[process_path_room];
    return readlink(process_path(path, process, name), text, room);
}

int clinux_process_version(int process, int as_known, struct clinux_file_version *version) {
    char path[process_path_room];
    return clinux_find_version(-1, process_path(path, process, "exe"), as_known, version);
}

void clinux_warn(const char *text) { syslog(LOG_USER | LOG_WARNING, "%s", text); }
