#define _GNU_SOURCE
#include "errand.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <security/pam_ext.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* A child that has become the user does everything that touches files: a user's path can lead anywhere and block
 * forever, and a login program is root. Before the fork, the code only composes texts and looks at nothing. */

static bool print(char *into, size_t size, const char *first, const char *second) {
    int count = snprintf(into, size, "%s%s", first, second);
    return count > 0 && (size_t)count < size;
}

/* The places where the daemon may listen and keep its store, as `security` finds them in the user's own session
 * (docs/reference.md). */
static bool name_places(struct errand *errand, const struct options *options, pam_handle_t *pam) {
    char usual[64];
    const char *given = pam_getenv(pam, "XDG_RUNTIME_DIR");
    if (!given || given[0] != '/') {
        snprintf(usual, sizeof usual, "/run/user/%lu", (unsigned long)errand->user->pw_uid);
        given = usual;
    }
    errand->given_socket = options->socket;
    errand->given_daemon = options->daemon;
    errand->given_command = options->command;
    errand->has_given_store = options->store != NULL;
    return (options->store ? print(errand->store, most_path, options->store, "")
                           : print(errand->store, most_path, errand->user->pw_dir, "/.local/share/keychain"))
        && print(errand->log, sizeof errand->log, errand->store, "/keychaind.log")
        && print(errand->store_socket, most_path, errand->store, "/keychaind.sock")
        && print(errand->runtime, most_path, given, "")
        && print(errand->runtime_folder, most_path, given, "/keychain")
        && print(errand->runtime_socket, most_path, given, "/keychain/keychaind.sock")
        && print(errand->home, sizeof errand->home, "HOME=", errand->user->pw_dir);
}

/* A child that waits for a broken file system may not even end, so the wait is limited. */
static void bury(pid_t child) {
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int round = 0; round < 100; round++) {
        pid_t ended = waitpid(child, NULL, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR)) return;
        (void)nanosleep(&pause, NULL);
    }
}

static enum outcome wait_for(pid_t child, int news, int64_t deadline) {
    struct pollfd request = {.fd = news, .events = POLLIN};
    unsigned char outcome = late;
    int64_t left;
    while ((left = deadline - now()) > 0) {
        int count = poll(&request, 1, (int)left);
        if (count < 0 && errno == EINTR) continue;
        if (count != 0 && (count < 0 || read(news, &outcome, 1) != 1)) outcome = failed;
        break;
    }
    (void)kill(child, SIGKILL);
    bury(child);
    return outcome <= failed ? (enum outcome)outcome : failed;
}

enum outcome run_errand(pam_handle_t *pam, const struct options *options, const struct passwd *user,
                        const struct secret *passcode, const struct secret *replacement, bool may_start) {
    struct errand errand = {.passcode = passcode, .replacement = replacement, .user = user, .may_start = may_start};
    errand.deadline = now() + timeout;
    errand.group_count = most_groups;
    if (getgrouplist(user->pw_name, user->pw_gid, errand.groups, &errand.group_count) < 0) errand.group_count = 0;
    int ends[2];
    if (!name_places(&errand, options, pam) || pipe2(ends, O_CLOEXEC) != 0) return failed;
    /* A handler of the program must not reap the child. */
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    (void)sigaction(SIGCHLD, &usual, &before);
    pid_t child = fork();
    if (child == 0) {
        unsigned char outcome = (unsigned char)carry_out(&errand);
        (void)!write(ends[1], &outcome, 1);
        _exit(0);
    }
    close(ends[1]);
    enum outcome outcome = child > 0 ? wait_for(child, ends[0], errand.deadline + 200) : failed;
    (void)sigaction(SIGCHLD, &before, NULL);
    close(ends[0]);
    if (options->debug) pam_syslog(pam, LOG_DEBUG, "keychain: %s: outcome %d", user->pw_name, (int)outcome);
    return outcome;
}
