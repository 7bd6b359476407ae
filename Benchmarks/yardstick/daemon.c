// The C daemon, and an echo that shows what its transport alone costs: one event loop that reads and answers.
#include "wire.h"
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char usage[] =
    "usage: yardstick-daemon SOCKET FOLDER GROUP MAPPED   answers lookups, with so many bytes mapped\n"
    "       yardstick-daemon SOCKET FOLDER GROUP          adds, all who ask at once in one transaction\n"
    "       yardstick-daemon SOCKET SIZE                  answers everything with a value of SIZE bytes\n";

static struct yardstick_store *store;
static struct yardstick_writer *writer;
enum { YARDSTICK_REQUEST = 8 << 10 };
static uint8_t frame[YARDSTICK_FRAME], answer[YARDSTICK_FRAME];
static size_t echoed;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void prepare_echo(size_t value) {
    echoed = yardstick_answer_size(value);
    if (echoed > sizeof answer) fail("SIZE");
    store32(answer, echoed - 16);
    store32(answer + yardstick_answer_size(0) - 4, value);
}

static int listen_at(const char *path) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    unlink(path);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 256)) fail(path);
    return listener;
}

static void watch(int events, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (descriptor < 0 || epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event)) fail("connection");
}

static void serve(int connection) {
    // The yardstick's client sends a request at once and waits for its answer: no part of one ever comes alone.
    ssize_t size = read(connection, frame, sizeof frame);
    size_t count = size <= 0 ? 0 : store ? yardstick_handle(store, frame, size, answer) : echoed;
    if (count == 0 || write(connection, answer, count) != (ssize_t)count) close(connection);
}

/// Reads what all of these ask, adds it together, and answers each.
static void add(const struct epoll_event *ready, int count) {
    static uint8_t frames[64][YARDSTICK_REQUEST], answers[64][YARDSTICK_ADDED];
    const uint8_t *asked[64];
    size_t sizes[64], asking = 0;
    int connections[64];
    for (int i = 0; i < count; i++) {
        ssize_t size = read(ready[i].data.fd, frames[asking], sizeof *frames);
        if (size <= 0) {
            close(ready[i].data.fd);
            continue;
        }
        asked[asking] = frames[asking];
        connections[asking] = ready[i].data.fd;
        sizes[asking++] = size;
    }
    if (asking) yardstick_add_batch(writer, asked, sizes, asking, answers);
    for (size_t i = 0; i < asking; i++)
        if (write(connections[i], answers[i], sizeof *answers) != sizeof *answers) close(connections[i]);
    yardstick_tidy_up(writer);
}

static void run(int listener) {
    int events = epoll_create1(EPOLL_CLOEXEC);
    watch(events, listener);
    for (;;) {
        struct epoll_event ready[64];
        int count = epoll_wait(events, ready, 64, -1), clients = 0;
        for (int i = 0; i < count; i++) {
            int descriptor = ready[i].data.fd;
            if (descriptor == listener) watch(events, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
            else if (writer) ready[clients++] = ready[i];
            else serve(descriptor);
        }
        if (clients) add(ready, clients);
    }
}

int main(int count, char **arguments) {
    if (count == 5) store = yardstick_open(arguments[2], arguments[3], "unix-excl", strtoul(arguments[4], NULL, 10));
    else if (count == 4) writer = yardstick_writer(yardstick_open(arguments[2], arguments[3], "unix-excl", 0));
    else if (count == 3) prepare_echo(strtoul(arguments[2], NULL, 10));
    else return fputs(usage, stderr), 2;
    run(listen_at(arguments[1]));
}
