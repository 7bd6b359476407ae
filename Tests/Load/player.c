// Plays frames to a daemon: measures one after the other, or floods it in one of the ways that a hostile program has.
//
//   player measure SOCKET FRAMES SECONDS PAUSE
//       One request at a time. Prints how long each took, in microseconds, and what was refused, and ends.
//   player connect SOCKET FRAMES SECONDS PAUSE
//       The same with a new connection for each, which is part of what is measured.
//   player flood SOCKET FRAMES CONNECTIONS DEPTH [COUNT]
//       So many requests are open on each connection. It ends after COUNT answers.
//   player deaf SOCKET FRAMES CONNECTIONS DEPTH
//       The same, and no answer is read.
//   player half SOCKET FRAMES CONNECTIONS BYTES
//       The first bytes of a frame, and no more.
//   player idle SOCKET FRAMES CONNECTIONS 0
//       Connections that ask nothing.
//   player leave SOCKET FRAMES CONNECTIONS BYTES
//       Connects, asks if there are BYTES, and leaves, again and again.
//   player pipes SOCKET FRAMES CONNECTIONS DEPTH
//       With each request goes a pipe that nobody writes into.
//
// FRAMES is a file with one frame. Eight bytes "@@@@@@@@" in it become another text each time. All but the first two
// end on SIGTERM. They print how many answers came, how many of them refused, and how many connections the daemon
// closed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = 16, ROOM = 1 << 16 };

struct connection {
    int socket;
    int waits;               // until the next turn, before it connects again
    int open;                // requests without an answer
    size_t sent;             // of the frame that is being sent
    size_t have, skip;       // of the head that is being read; of the body
    uint8_t head[HEAD];
    uint8_t frame[HEAD + 8]; // the part of the frame that changes: its head and its text
};

static const char *path;
static uint8_t *frame;
static size_t size, mark;
static uint64_t number, answers, refused, closed;
static volatile sig_atomic_t ends;

static void fail(const char *what) { perror(what), exit(1); }
static void end(int signal) { (void)signal, ends = 1; }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static void load(const char *file) {
    FILE *input = fopen(file, "r");
    if (!input) fail(file);
    frame = malloc(4 << 20);
    size = fread(frame, 1, 4 << 20, input);
    fclose(input);
    uint8_t *found = memmem(frame, size, "@@@@@@@@", 8);
    mark = found ? (size_t)(found - frame) : 0;
    number = (uint64_t)getpid() << 32;
}

// Longer times count as this one.
static const struct timeval timeout = {.tv_sec = 5};

static int dial(int flags) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (client < 0) return -1;
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) return client;
    close(client);
    return -1;
}

// The next request's number, as its id and in its text.
static void renew(uint8_t *bytes) {
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    uint32_t id = (uint32_t)++number;
    memcpy(bytes + 8, &id, 4);
    for (int i = 0; i < 8; i++) bytes[HEAD + i] = digits[number * 0x9E3779B97F4A7C15u >> (6 * i) & 63];
}

// Sends what is left of a connection's frame: 1 when it is whole, 0 when no more is taken, -1 when the daemon has gone.
static int push(struct connection *to, size_t limit) {
    while (to->sent < limit) {
        size_t end = limit;
        const uint8_t *from = frame + to->sent;
        if (to->sent < HEAD) from = to->frame + to->sent, end = HEAD;
        else if (mark && to->sent < mark) end = mark;
        else if (mark && to->sent < mark + 8) from = to->frame + HEAD + to->sent - mark, end = mark + 8;
        if (end > limit) end = limit;
        int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (end < limit ? MSG_MORE : 0);
        ssize_t count = send(to->socket, from, end - to->sent, flags);
        if (count < 0) return errno == EAGAIN ? 0 : -1;
        to->sent += (size_t)count;
    }
    return 1;
}

static int pull(struct connection *from) {
    static uint8_t room[ROOM];
    ssize_t count = recv(from->socket, room, ROOM, MSG_DONTWAIT);
    if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
    for (size_t at = 0; at < (size_t)count;) {
        size_t left = (size_t)count - at;
        if (from->have < HEAD) {
            size_t taken = HEAD - from->have < left ? HEAD - from->have : left;
            memcpy(from->head + from->have, room + at, taken);
            from->have += taken, at += taken;
            if (from->have < HEAD) continue;
            uint32_t length, status;
            memcpy(&length, from->head, 4), memcpy(&status, from->head + 12, 4);
            from->skip = length, answers++, refused += status != 0, from->open--;
        } else {
            size_t taken = from->skip < left ? from->skip : left;
            from->skip -= taken, at += taken;
        }
        if (from->skip == 0) from->have = 0;
    }
    return 1;
}

// MARK: measuring

static void measure(double seconds, int pause, int once) {
    double start = now();
    while (now() - start < seconds * 1e6) {
        double asked = now();
        struct connection to = {.socket = dial(0)};
        double dialled = now() - asked;
        if (to.socket < 0) { refused++, printf("%.0f ", now() - asked), usleep(1000); continue; }
        while (now() - start < seconds * 1e6) {
            memcpy(to.frame, frame, HEAD), renew(to.frame), to.sent = 0;
            double begun = now();
            if (push(&to, size) != 1) break;
            size_t have = 0, need = HEAD;
            static uint8_t answer[ROOM];
            while (have < need) {
                ssize_t count = recv(to.socket, answer + have, sizeof answer - have, 0);
                if (count <= 0) break;
                have += (size_t)count;
                if (have >= HEAD && need == HEAD) { uint32_t length; memcpy(&length, answer, 4); need += length; }
            }
            uint32_t status = 0;
            if (have >= HEAD) memcpy(&status, answer + 12, 4);
            refused += have < need || status != 0;
            printf("%.0f ", now() - begun + (once ? dialled : 0));
            if (have < need) break;
            usleep((useconds_t)pause);
            if (once) break;
        }
        close(to.socket);
    }
    printf("\n%lu\n", (unsigned long)refused);
}

// MARK: flooding

enum way { FLOOD, DEAF, HALF, IDLE, LEAVE, PIPES };

static int hand(struct connection *to) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) return -1;
    union { char room[CMSG_SPACE(sizeof(int))]; struct cmsghdr align; } control;
    struct iovec part = {.iov_base = to->frame, .iov_len = HEAD};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), ends, sizeof(int));
    ssize_t count = sendmsg(to->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    // The end to write into stays open for as long as this program lives.
    close(ends[0]);
    if (count != HEAD) return close(ends[1]), count < 0 && errno == EAGAIN ? 0 : -1;
    to->sent = HEAD;
    return 1;
}

// Opens requests until there are enough, or no more is taken.
static int fill(struct connection *to, enum way way, int depth, uint64_t count) {
    while (to->sent || (to->open < depth && (!count || number - ((uint64_t)getpid() << 32) < count))) {
        if (!to->sent) memcpy(to->frame, frame, HEAD), renew(to->frame);
        if (way == PIPES && !to->sent) { int taken = hand(to); if (taken < 1) return taken; }
        int whole = push(to, size);
        if (whole < 1) return whole;
        to->sent = 0, to->open++;
    }
    return 1;
}

static int begin(int set, struct connection *to, enum way way, int amount, uint64_t count) {
    *to = (struct connection){.socket = dial(SOCK_NONBLOCK)};
    if (to->socket < 0) return -1;
    uint32_t events = way == FLOOD || way == PIPES ? EPOLLIN | EPOLLOUT | EPOLLET : EPOLLRDHUP | EPOLLET;
    struct epoll_event event = {.events = events, .data.ptr = to};
    if (way == DEAF) event.events |= EPOLLOUT;
    epoll_ctl(set, EPOLL_CTL_ADD, to->socket, &event);
    if (way == IDLE) return 1;
    if (way == HALF) { memcpy(to->frame, frame, HEAD); return push(to, (size_t)amount); }
    return fill(to, way, amount, count);
}

static void again(int set, struct connection *to, enum way way, int amount, uint64_t count) {
    closed++, close(to->socket);
    to->socket = -1, to->waits = begin(set, to, way, amount, count) < 0;
}

static void flood(enum way way, int connections, int amount, uint64_t count) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    for (int i = 0; i < connections && !ends; i++) all[i].waits = begin(set, &all[i], way, amount, count) < 0;
    double last = now();
    while (!ends && (!count || answers < count)) {
        struct epoll_event events[256];
        int ready = epoll_wait(set, events, 256, 100);
        for (int i = 0; i < ready; i++) {
            struct connection *from = events[i].data.ptr;
            if (from->socket < 0) continue;
            int state = 1;
            if (way == FLOOD || way == PIPES) while ((state = pull(from)) > 0) {}
            if (state >= 0 && way <= DEAF) state = fill(from, way, amount, count);
            int ended = events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
            if (state < 0 || ended) again(set, from, way, amount, count);
        }
        // A connection that was refused tries again ten times a second.
        if (now() - last < 1e5) continue;
        last = now();
        for (int i = 0; i < connections; i++)
            if (all[i].waits) close(all[i].socket), all[i].waits = begin(set, &all[i], way, amount, count) < 0;
    }
}

static void leave(int connections, size_t bytes) {
    struct connection *all = calloc((size_t)connections, sizeof *all);
    while (!ends) {
        for (int i = 0; i < connections; i++) {
            all[i] = (struct connection){.socket = dial(SOCK_NONBLOCK)};
            if (all[i].socket < 0) continue;
            answers++;
            if (bytes) memcpy(all[i].frame, frame, HEAD), renew(all[i].frame), push(&all[i], size);
        }
        for (int i = 0; i < connections; i++) if (all[i].socket >= 0) close(all[i].socket);
    }
}

int main(int count, char **words) {
    if (count < 6) return fprintf(stderr, "usage: player HOW SOCKET FRAMES ...\n"), 2;
    path = words[2], load(words[3]);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files), files.rlim_cur = files.rlim_max, setrlimit(RLIMIT_NOFILE, &files);
    static const char *const ways[] = {"flood", "deaf", "half", "idle", "leave", "pipes"};
    int connects = !strcmp(words[1], "connect");
    if (connects || !strcmp(words[1], "measure")) return measure(atof(words[4]), atoi(words[5]), connects), 0;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    int connections = atoi(words[4]), amount = atoi(words[5]);
    for (int way = FLOOD; way <= PIPES; way++) {
        if (strcmp(words[1], ways[way])) continue;
        if (way == LEAVE) leave(connections, (size_t)amount);
        else flood((enum way)way, connections, amount, count > 6 ? strtoull(words[6], NULL, 10) : 0);
    }
    printf("%lu %lu %lu\n", (unsigned long)answers, (unsigned long)refused, (unsigned long)closed);
}
