// A client of the system service that does nothing but ask: client SOCKET FRAME ROUNDS.
//
// Prints, in microseconds, the time of its first connection with a request, of each later one, and of each request of
// one connection: the medians of as many rounds.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { head = 16, room = 1 << 16, number = 16, introduction = 6 };

static unsigned char frame[room], answer[room];
static size_t length;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void ask(int connection, const unsigned char *bytes, size_t size) {
    if (write(connection, bytes, size) != (ssize_t)size) fail("write");
    size_t have = 0, wanted = head;
    while (have < wanted) {
        ssize_t count = read(connection, answer + have, room - have);
        if (count <= 0) fail("read");
        have += (size_t)count;
        if (have >= head) wanted = head + (answer[0] | answer[1] << 8 | answer[2] << 16);
    }
}

/// The first bytes of a marked program: it shows that it asks itself.
static void introduce(int connection) {
    unsigned char begin[head] = {[4] = 1, [5] = introduction, [8] = 1, [13] = 0x40};
    ask(connection, begin, head);
    unsigned char finish[head + number] = {number, [4] = 1, [5] = introduction, [8] = 2, [13] = 0x40};
    memcpy(finish + head, answer + head + 4, number);
    ask(connection, finish, sizeof finish);
}

static int open_connection(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    if (getegid() != getgid()) introduce(connection);
    return connection;
}

static double connect_and_ask(const char *path) {
    double start = now();
    int connection = open_connection(path);
    ask(connection, frame, length);
    double took = now() - start;
    close(connection);
    return took;
}

static int compare(const void *one, const void *other) {
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static double median(double *times, size_t count) {
    qsort(times, count, sizeof *times, compare);
    return times[count / 2];
}

int main(int count, char **words) {
    if (count != 4) return 2;
    FILE *file = fopen(words[2], "rb");
    if (!file) fail(words[2]);
    length = fread(frame, 1, sizeof frame, file);
    size_t rounds = strtoul(words[3], NULL, 10);
    double *times = calloc(rounds, sizeof *times);
    printf("%.1f", connect_and_ask(words[1]));
    for (size_t round = 0; round < rounds; round++) {
        usleep(2000);
        times[round] = connect_and_ask(words[1]);
    }
    printf(" %.1f", median(times, rounds));
    int connection = open_connection(words[1]);
    for (size_t round = 0; round < rounds; round++) {
        double start = now();
        ask(connection, frame, length);
        times[round] = now() - start;
    }
    printf(" %.1f\n", median(times, rounds));
    return 0;
}
