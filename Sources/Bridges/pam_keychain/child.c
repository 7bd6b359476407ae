#define _GNU_SOURCE
#include "errand.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* From the fork to the end of the child nothing may allocate memory or take a lock, because the login program may have
 * threads. */

static const char *const daemons[] = {
    "/usr/local/libexec/keychaind", "/usr/libexec/keychaind", "/usr/local/bin/keychaind", "/usr/bin/keychaind",
};

/* The command, which asks a daemon that may not look at this process. */
static const char *const commands[] = {"/usr/local/bin/security", "/usr/bin/security"};

/* The system service's socket. Only root can create sockets in its folder. */
static const char service_folder[] = "/run/keychaind", service_socket[] = "/run/keychaind/socket";

/* The result of the child's search. */
struct places {
    const char *socket;
    /* The project's folder in the user's runtime folder, to be created for the socket. */
    char *folder;
    const char *daemon;
    /* Whether root, instead of the user, may or must listen there, where root has configured that. */
    bool may_be_root, must_be_root;
};

/* The child has the login program's memory with all passwords: no process may read it, and it must leave no core file.
 * It is called again after the change of user, because the kernel resets it then, depending on `fs.suid_dumpable`. */
static bool close_in(void) {
    const struct rlimit none = {0, 0};
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && setrlimit(RLIMIT_CORE, &none) == 0;
}

static bool become(const struct errand *errand) {
    const struct passwd *user = errand->user;
    if (!close_in()) return false;
    if (geteuid() == 0) {
        if (setgroups((size_t)errand->group_count, errand->groups) != 0) return false;
        if (setresgid(user->pw_gid, user->pw_gid, user->pw_gid) != 0) return false;
        if (setresuid(user->pw_uid, user->pw_uid, user->pw_uid) != 0) return false;
    }
    /* A screen locker that runs as the user is already the user; no other process may use this. */
    return geteuid() == user->pw_uid && getuid() == user->pw_uid && close_in();
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool has_service(void) {
    struct stat folder, file;
    return lstat(service_folder, &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == 0
        && (folder.st_mode & 022) == 0 && lstat(service_socket, &file) == 0 && S_ISSOCK(file.st_mode);
}

static const char *first_of(const char *const *names, size_t count) {
    for (size_t index = 0; index < count; index++)
        if (access(names[index], X_OK) == 0) return names[index];
    return NULL;
}

static const char *find_daemon(const struct errand *errand) {
    if (errand->given_daemon) return access(errand->given_daemon, X_OK) == 0 ? errand->given_daemon : NULL;
    return first_of(daemons, sizeof daemons / sizeof *daemons);
}

/* The service's socket belongs to root; a socket from the options belongs to root or the user. */
static struct places find_places(struct errand *errand) {
    const char *given = errand->given_socket;
    bool is_service = given ? strcmp(given, service_socket) == 0 : !errand->has_given_store && has_service();
    if (is_service) return (struct places){.socket = service_socket, .may_be_root = true, .must_be_root = true};
    const char *daemon = errand->may_start ? find_daemon(errand) : NULL;
    if (given) return (struct places){.socket = given, .daemon = daemon, .may_be_root = true};
    if (errand->has_given_store || !is_folder(errand->runtime))
        return (struct places){.socket = errand->store_socket, .daemon = daemon};
    return (struct places){.socket = errand->runtime_socket, .folder = errand->runtime_folder, .daemon = daemon};
}

static bool may_listen(uid_t listener, const struct errand *errand, const struct places *places) {
    if (listener == 0 && places->may_be_root) return true;
    return listener == errand->user->pw_uid && !places->must_be_root;
}

static int reach(const struct errand *errand, const struct places *places, uid_t *listener) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(places->socket);
    if (size >= sizeof address.sun_path) return -1;
    memcpy(address.sun_path, places->socket, size);
    int channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return -1;
    if (connect(channel, (const struct sockaddr *)&address, sizeof address) == 0) {
        /* A socket that anyone else has made there gets no password. */
        struct ucred peer;
        socklen_t length = sizeof peer;
        if (getsockopt(channel, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && may_listen(peer.uid, errand, places)) {
            *listener = peer.uid;
            return channel;
        }
    }
    close(channel);
    return -1;
}

/* Creates the folders as the daemon's clients do: with access for the user only. */
static void make_folder(char *path) {
    for (char *slash = path + 1; *slash; slash++) {
        if (*slash != '/') continue;
        *slash = 0;
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

/* Runs a program with one file of this process at a number up to 3, and none other. */
static void run(const char *const *words, const char *const *environment, int given, int number) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0) _exit(1);
    /* This moves it above the numbers that are used below. */
    int file = fcntl(given, F_DUPFD, 10);
    if (file < 0) _exit(1);
    for (int standard = 0; standard < 3; standard++) (void)dup2(nothing, standard);
    (void)dup2(file, number);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    closefrom(number < 3 ? 3 : 4);
#else
    for (int other = number < 3 ? 3 : 4; other < 1024; other++) close(other);
#endif
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (chdir("/") != 0) _exit(1);
    execve(words[0], (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)environment);
    _exit(127);
}

static void run_daemon(const struct errand *errand, const struct places *places, int ready) {
    const char *const words[] = {
        places->daemon, "--detach", "--socket", places->socket, "--store", errand->store, "--log", errand->log,
        "--ready-fd", "3", NULL,
    };
    const char *const environment[] = {errand->home, "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    run(words, environment, ready, 3);
}

/* Starts the daemon and waits until it serves, which it reports with one byte. A text says why it does not. At the end
 * of the pipe it has ended, perhaps because another one serves. The result is what it is when nobody listens then. */
static enum outcome start(struct errand *errand, const struct places *places) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed;
    make_folder(errand->store);
    if (places->folder) make_folder(places->folder);
    pid_t child = fork();
    if (child == 0) run_daemon(errand, places, ends[1]);
    close(ends[1]);
    enum outcome outcome = failed;
    if (child > 0) {
        struct pollfd request = {.fd = ends[0], .events = POLLIN};
        int64_t left;
        while ((left = errand->deadline - now()) > 0 && poll(&request, 1, (int)left) < 0 && errno == EINTR) {}
        char report;
        if (left <= 0 || request.revents == 0) outcome = late;
        else if (read(ends[0], &report, 1) == 1) outcome = unopened;
        /* The daemon detaches: this is only its first process, which has ended or is about to. */
        if (left > 0) (void)waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return outcome;
}

static bool write_line(int file, const struct secret *secret) {
    return memchr(secret->bytes, '\n', secret->size) == NULL
        && write(file, secret->bytes, secret->size) == (ssize_t)secret->size && write(file, "\n", 1) == 1;
}

/* The passwords, as the command reads them: a line each. A pipe has room for them. */
static int lines(const struct errand *errand) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    bool is_written = write_line(ends[1], errand->passcode)
        && (!errand->replacement || write_line(ends[1], errand->replacement));
    close(ends[1]);
    if (is_written) return ends[0];
    close(ends[0]);
    return -1;
}

static void run_command(struct errand *errand, const char *command, const char *socket, int input) {
    const char *const words[] = {command, errand->replacement ? "set-keychain-password" : "unlock-keychain", NULL};
    char named[most_path + 24], store[most_path + 24];
    /* It ends with the child, which the login program kills when the time is over. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) _exit(1);
    stpcpy(stpcpy(named, "KEYCHAIN_SOCKET="), socket);
    stpcpy(stpcpy(store, "KEYCHAIN_HOME="), errand->store);
    const char *const environment[] = {
        errand->home, named, store, "KEYCHAIN_MODE=daemon", "KEYCHAIN_INTERACTION=never", "LANG=C.UTF-8",
        "PATH=/usr/local/bin:/usr/bin:/bin", NULL,
    };
    run(words, environment, input, 0);
}

/* A daemon of the user's own looks at each program that asks it, and may not look at one with a hidden memory. The
 * command has nothing of the login program's memory, gets the passwords through a pipe, and asks. */
static enum outcome have_asked(struct errand *errand, const char *command, const char *socket) {
    int input = lines(errand), status = 0;
    if (input < 0) return failed;
    pid_t child = fork();
    if (child == 0) run_command(errand, command, socket, input);
    close(input);
    if (child < 0) return failed;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return failed;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127) return failed;
    /* The low bits of errSecAuthFailed. */
    return WEXITSTATUS(status) == 0 ? done : WEXITSTATUS(status) == 51 ? refused : unopened;
}

enum outcome carry_out(struct errand *errand) {
    if (!become(errand)) return failed;
    struct places places = find_places(errand);
    uid_t listener = 0;
    int channel = reach(errand, &places, &listener);
    if (channel < 0 && places.daemon) {
        enum outcome outcome = start(errand, &places);
        channel = reach(errand, &places, &listener);
        if (channel < 0) return outcome;
    }
    if (channel < 0) return no_daemon;
    const char *command = errand->given_command ? first_of(&errand->given_command, 1)
                                                : first_of(commands, sizeof commands / sizeof *commands);
    if (listener != 0 && command) {
        close(channel);
        return have_asked(errand, command, places.socket);
    }
    return ask(channel, errand->passcode, errand->replacement, errand->deadline);
}
