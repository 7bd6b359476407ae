#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_execute(int file, char *const *arguments, char *const *environment) {
    return (int)syscall(SYS_execveat, file, "", arguments, environment, AT_EMPTY_PATH);
}

// The descriptors have numbers above the standard ones, so that none is overwritten before it is moved.
static int place_streams(const struct clinux_streams *streams) {
    const int given[] = {streams->input, streams->output, streams->errors};
    for (int number = 0; number < 3; number++)
        if (given[number] >= 0 && dup2(given[number], number) < 0) return -1;
    return 0;
}

// Only calls that are allowed between fork and exec (signal-safety(7)).
static int become(int file, char *const *arguments, char *const *environment, const struct clinux_streams *streams,
                  const sigset_t *signals, pid_t parent, int death_signal) {
    if (prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) < 0) return -1;
    // The parent may have ended before the kernel was told.
    if (getppid() != parent) _exit(127);
    if (streams->terminal >= 0 && (setsid() < 0 || ioctl(streams->terminal, TIOCSCTTY, 0) < 0)) return -1;
    if (place_streams(streams) < 0) return -1;
    sigprocmask(SIG_SETMASK, signals, NULL);
    return clinux_execute(file, arguments, environment);
}

pid_t clinux_start_watched(int file, char *const *arguments, char *const *environment,
                           const struct clinux_streams *streams, const sigset_t *signals, int death_signal) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        become(file, arguments, environment, streams, signals, parent, death_signal);
        int failure = errno;
        while (write(ends[1], &failure, sizeof failure) < 0 && errno == EINTR) {}
        _exit(127);
    }
    int failure = errno;
    close(ends[1]);
    // The other end is closed by the exec, or brings the reason why there was none.
    int reason = 0;
    if (child > 0) {
        ssize_t count;
        while ((count = read(ends[0], &reason, sizeof reason)) < 0 && errno == EINTR) {}
        if (count != (ssize_t)sizeof reason) reason = 0;
    }
    close(ends[0]);
    if (child > 0 && reason == 0) return child;
    if (child > 0) failure = reason;
    errno = failure;
    return -1;
}

int clinux_signal_descriptor(const sigset_t *signals) { return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK); }

int clinux_next_signal(int descriptor, int *is_of_kernel) {
    struct signalfd_siginfo signal;
    ssize_t count;
    while ((count = read(descriptor, &signal, sizeof signal)) < 0 && errno == EINTR) {}
    if (count < 0) return errno == EAGAIN ? 0 : -1;
    *is_of_kernel = signal.ssi_code == SI_KERNEL;
    return (int)signal.ssi_signo;
}

int clinux_resize_pipe(int pipe, int bytes) { return fcntl(pipe, F_SETPIPE_SZ, bytes); }

char *const *clinux_environment(void) { return environ; }
