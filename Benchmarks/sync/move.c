// The floor of synchronisation: it moves the same bytes between two machines, and does nothing else with them.
//
//     move folder SOURCE TARGET    writes each file of SOURCE durably into TARGET, then reads all
//     move server SOURCE URL       inserts each file of SOURCE into a table, a transaction each, and reads all
//     move folder-change TARGET    one process writes a file, another one is told and reads it
//     move server-change URL       one connection inserts a row and notifies, another one is told and reads it
//
// Each prints microseconds.

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bytes { char *start; size_t count; };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static struct bytes read_file(int folder, const char *name) {
    struct stat status;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) err(1, "%s", name);
    struct bytes content = {malloc(status.st_size + 1), status.st_size};
    if (read(file, content.start, content.count) != (ssize_t)content.count) err(1, "%s", name);
    close(file);
    return content;
}

// Under another name first: nobody reads half of it. Both are on disk when this returns.
static void write_file(int folder, const char *name, struct bytes content) {
    int file = openat(folder, ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, content.start, content.count) != (ssize_t)content.count) err(1, "%s", name);
    if (fsync(file) != 0 || renameat(folder, ".new", folder, name) != 0 || fsync(folder) != 0) err(1, "%s", name);
    close(file);
}

static int open_folder(const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) err(1, "%s", path);
    return folder;
}

// Calls `act` with each file of a folder that is no hidden one.
static void each(int folder, void (*act)(int folder, const char *name, void *context), void *context) {
    DIR *entries = fdopendir(dup(folder));
    if (entries == NULL) err(1, "folder");
    rewinddir(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.') act(folder, entry->d_name, context);
    closedir(entries);
}

static void copy(int folder, const char *name, void *target) {
    struct bytes content = read_file(folder, name);
    write_file(*(int *)target, name, content);
    free(content.start);
}

static void look(int folder, const char *name, void *sum) {
    struct bytes content = read_file(folder, name);
    *(size_t *)sum += content.count;
    free(content.start);
}

static void move_folder(const char *source, const char *target) {
    int from = open_folder(source), to = open_folder(target);
    size_t sum = 0;
    each(from, copy, &to);
    each(to, look, &sum);
    if (sum == 0) errx(1, "nothing was moved");
}

static PGconn *reach(const char *url) {
    PGconn *server = PQconnectdb(url);
    if (PQstatus(server) != CONNECTION_OK) errx(1, "%s", PQerrorMessage(server));
    return server;
}

static PGresult *ask(PGconn *server, const char *statement, struct bytes *value) {
    const char *values[] = {value ? value->start : NULL};
    int lengths[] = {value ? (int)value->count : 0}, formats[] = {1};
    PGresult *answer = PQexecParams(server, statement, value ? 1 : 0, NULL, values, lengths, formats, 1);
    ExecStatusType status = PQresultStatus(answer);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) errx(1, "%s", PQerrorMessage(server));
    return answer;
}

static void insert(int folder, const char *name, void *server) {
    struct bytes content = read_file(folder, name);
    PQclear(ask(server, "INSERT INTO moved(content) VALUES ($1)", &content));
    free(content.start);
}

static void prepare(PGconn *server) {
    PQclear(ask(server, "DROP TABLE IF EXISTS moved", NULL));
    PQclear(ask(server, "CREATE TABLE moved(number bigserial PRIMARY KEY, content bytea NOT NULL)", NULL));
}

static void move_server(const char *source, const char *url) {
    PGconn *one = reach(url), *other = reach(url);
    prepare(one);
    each(open_folder(source), insert, one);
    PGresult *all = ask(other, "SELECT content FROM moved ORDER BY number", NULL);
    if (PQntuples(all) == 0) errx(1, "nothing was moved");
}

static void change_folder(const char *target) {
    int folder = open_folder(target), events = inotify_init1(IN_CLOEXEC);
    char event[4096];
    if (inotify_add_watch(events, target, IN_MOVED_TO) < 0) err(1, "%s", target);
    pid_t writer = fork();
    if (writer == 0) {
        write_file(folder, "change", (struct bytes){"a change", 8});
        _exit(0);
    }
    if (read(events, event, sizeof event) <= 0) err(1, "%s", target);
    free(read_file(folder, "change").start);
    waitpid(writer, NULL, 0);
}

static void change_server(PGconn *one, PGconn *other) {
    struct bytes content = {"a change", 8};
    PQclear(ask(one, "INSERT INTO moved(content) VALUES ($1)", &content));
    PQclear(ask(one, "NOTIFY moved", NULL));
    for (PGnotify *notice; (notice = PQnotifies(other)) == NULL; PQfreemem(notice)) {
        poll(&(struct pollfd){.fd = PQsocket(other), .events = POLLIN}, 1, -1);
        PQconsumeInput(other);
    }
    PQclear(ask(other, "SELECT content FROM moved ORDER BY number DESC LIMIT 1", NULL));
}

int main(int count, char **words) {
    const char *kind = count > 2 ? words[1] : "";
    PGconn *one = NULL, *other = NULL;
    if (strcmp(kind, "server-change") == 0) {
        prepare(one = reach(words[2]));
        PQclear(ask(other = reach(words[2]), "LISTEN moved", NULL));
    }
    double start = now();
    if (strcmp(kind, "folder") == 0 && count == 4) move_folder(words[2], words[3]);
    else if (strcmp(kind, "server") == 0 && count == 4) move_server(words[2], words[3]);
    else if (strcmp(kind, "folder-change") == 0) change_folder(words[2]);
    else if (one != NULL) change_server(one, other);
    else errx(2, "usage: move folder SOURCE TARGET | server SOURCE URL | folder-change TARGET | server-change URL");
    printf("%.0f\n", now() - start);
    return 0;
}
