#define _GNU_SOURCE
#include "pam_keychain.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <security/pam_ext.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

/* Everything that touches the user's files happens in a child that has become the user: a path of his can lead anywhere, and
 * a login program is root. Between fork and the end of the child nothing is called that takes memory or a lock, for the login
 * program may have threads. */

enum { most_groups = 256, most_path = 512 };

static const char *const daemons[] = {
    "/usr/local/libexec/keychaind", "/usr/libexec/keychaind", "/usr/local/bin/keychaind", "/usr/bin/keychaind",
};

struct errand {
    const struct secret *passcode, *replacement;
    const struct passwd *user;
    gid_t groups[most_groups];
    int group_count;
    bool may_start;
    /* The socket is the system service's, which root has made. */
    bool is_service;
    char socket[most_path], store[most_path], log[most_path + 16];
    /* Folders to be made, in this order. */
    char runtime[most_path];
    const char *daemon;
    char home[most_path + 8];
    int64_t deadline;
};

static bool print(char *into, size_t size, const char *first, const char *second) {
    int count = snprintf(into, size, "%s%s", first, second);
    return count > 0 && (size_t)count < size;
}

/* The system service's socket, in a folder that nobody but root can put any into. */
static const char service_folder[] = "/run/keychaind", service_socket[] = "/run/keychaind/socket";

static bool has_service(void) {
    struct stat folder, file;
    return lstat(service_folder, &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == 0
        && (folder.st_mode & 022) == 0 && lstat(service_socket, &file) == 0 && S_ISSOCK(file.st_mode);
}

/* Where the daemon listens and keeps its store: as `security` finds it in the user's own session (docs/reference.md). */
static bool find_places(struct errand *errand, const struct options *options, pam_handle_t *pam) {
    char runtime[64];
    const char *given = pam_getenv(pam, "XDG_RUNTIME_DIR");
    if (!given || given[0] != '/') {
        snprintf(runtime, sizeof runtime, "/run/user/%lu", (unsigned long)errand->user->pw_uid);
        given = runtime;
    }
    struct stat status;
    bool exists = stat(given, &status) == 0 && S_ISDIR(status.st_mode);
    if (options->store ? !print(errand->store, most_path, options->store, "")
                       : !print(errand->store, most_path, errand->user->pw_dir, "/.local/share/keychain"))
        return false;
    if (!print(errand->log, sizeof errand->log, errand->store, "/keychaind.log")) return false;
    if (options->socket) return print(errand->socket, most_path, options->socket, "");
    if (!options->store && has_service()) {
        errand->is_service = true;
        errand->may_start = false;
        return print(errand->socket, most_path, service_socket, "");
    }
    if (options->store || !exists) return print(errand->socket, most_path, errand->store, "/keychaind.sock");
    return print(errand->runtime, most_path, given, "/keychain")
        && print(errand->socket, most_path, given, "/keychain/keychaind.sock");
}

static const char *find_daemon(const struct options *options) {
    if (options->daemon) return access(options->daemon, X_OK) == 0 ? options->daemon : NULL;
    for (size_t index = 0; index < sizeof daemons / sizeof *daemons; index++)
        if (access(daemons[index], X_OK) == 0) return daemons[index];
    return NULL;
}

/* MARK: In the child */

static bool become(const struct errand *errand) {
    const struct passwd *user = errand->user;
    if (geteuid() == 0) {
        if (setgroups((size_t)errand->group_count, errand->groups) != 0) return false;
        if (setresgid(user->pw_gid, user->pw_gid, user->pw_gid) != 0) return false;
        if (setresuid(user->pw_uid, user->pw_uid, user->pw_uid) != 0) return false;
    }
    /* A screen locker that runs as the user is the user already; anybody else has no business here. */
    return geteuid() == user->pw_uid && getuid() == user->pw_uid;
}

static int reach(const struct errand *errand) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(errand->socket);
    if (size >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, errand->socket, size);
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return -1;
    if (connect(channel, (const struct sockaddr *)&address, sizeof address) == 0) {
        /* Whoever else has made a socket there gets no password. */
        struct ucred peer;
        socklen_t length = sizeof peer;
        uid_t owner = errand->is_service ? 0 : errand->user->pw_uid;
        if (getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == owner) return channel;
    }
    close(channel);
    return -1;
}

/* The folders are made as the daemon's clients make them: for the user alone. */
static void make_folder(char *path) {
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = 0;
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

static void run_daemon(const struct errand *errand, int ready) {
    const char *const words[] = {
        errand->daemon, "--detach", "--socket", errand->socket, "--store", errand->store, "--log", errand->log,
        "--ready-fd", "3", NULL,
    };
    const char *const environment[] = {errand->home, "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) _exit(1);
    /* Away from the numbers that are taken below. */
    int file = fcntl(ready, F_DUPFD, 10);
    if (file < 0) _exit(1);
    for (int number = 0; number < 3; number++) (void)dup2(nothing, number);
    (void)dup2(file, 3);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    closefrom(4);
#else
    for (int number = 4; number < 1024; number++) close(number);
#endif
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir("/") != 0) _exit(1);
    execve(errand->daemon, (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)environment);
    _exit(127);
}

/* Starts the daemon and waits until it serves, which it says with one byte; at the end of the pipe it has ended, perhaps
 * because another one serves. */
static void start(struct errand *errand) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    make_folder(errand->store);
    if (errand->runtime[0]) make_folder(errand->runtime);
    pid_t child = fork();
    if (child == 0) run_daemon(errand, ends[1]);
    close(ends[1]);
    if (child > 0) {
        struct pollfd request = {.fd = ends[0], .events = POLLIN};
        int64_t left;
        while ((left = errand->deadline - now()) > 0 && poll(&request, 1, (int)left) < 0 && errno == EINTR) {}
        /* It detaches: this is only its first process, which is gone by now or soon. */
        if (left > 0) (void)waitpid(child, NULL, 0);
    }
    close(ends[0]);
}

static enum outcome carry_out(struct errand *errand) {
    if (!become(errand)) return failed;
    int channel = reach(errand);
    if (channel < 0 && errand->may_start && errand->daemon) {
        start(errand);
        channel = reach(errand);
        if (channel < 0) return failed;
    }
    if (channel < 0) return no_daemon;
    return ask(channel, errand->passcode, errand->replacement, errand->deadline);
}

/* MARK: In the login program */

static enum outcome wait_for(pid_t child, int news, int64_t deadline) {
    struct pollfd request = {.fd = news, .events = POLLIN};
    unsigned char outcome = failed;
    int64_t left;
    while ((left = deadline - now()) > 0) {
        int count = poll(&request, 1, (int)left);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0 || read(news, &outcome, 1) != 1) outcome = failed;
        break;
    }
    (void)kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return outcome <= failed ? (enum outcome)outcome : failed;
}

enum outcome run_errand(pam_handle_t *pam, const struct options *options, const struct passwd *user,
                        const struct secret *passcode, const struct secret *replacement, bool may_start) {
    struct errand errand = {.passcode = passcode, .replacement = replacement, .user = user, .may_start = may_start};
    errand.deadline = now() + patience;
    errand.daemon = find_daemon(options);
    errand.group_count = most_groups;
    if (getgrouplist(user->pw_name, user->pw_gid, errand.groups, &errand.group_count) < 0) errand.group_count = 0;
    int ends[2];
    if (!find_places(&errand, options, pam) || !print(errand.home, sizeof errand.home, "HOME=", user->pw_dir)
        || pipe2(ends, O_CLOEXEC) != 0)
        return failed;
    /* The child's end must not be reaped by a handler of the program's own. */
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
    if (options->debug) pam_syslog(pam, LOG_DEBUG, "keychain: %s: outcome %d", errand.socket, (int)outcome);
    return outcome;
}
