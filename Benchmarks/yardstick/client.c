// The client's end of a lookup, and the floor of a durable write.
#include "wire.h"
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static uint8_t *append_text(uint8_t *at, int attribute, const char *text) {
    size_t size = strlen(text);
    at = store32(store32(at, attribute | 1 << 16), size);
    memcpy(at, text, size);
    return at + size;
}

size_t yardstick_request(uint8_t *frame, const char *service, const char *account) {
    uint8_t *body = frame + 16, *query = body + 32;
    memset(frame, 0, 48);
    uint8_t *end = append_text(append_text(query, 19, service), 18, account);
    memcpy(body, (uint8_t[]){2, 1, 1}, 3); // find a generic password, return its data
    store32(body + 8, 1);
    store32(body + 28, end - query);
    store32(frame, end - body);
    store32(frame + 4, 1 | 1 << 8);
    store32(frame + 12, 60000);
    return end - frame;
}

size_t yardstick_answer_size(size_t value) { return 16 + 4 + 8 + 4 + 8 + 8 + value; }

int yardstick_connect(const char *path) {
    int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(socket_, (struct sockaddr *)&address, sizeof address) == 0) return socket_;
    close(socket_);
    return -1;
}

int yardstick_look_up(int socket, const char *service, const char *account, uint8_t **value) {
    uint8_t answer[YARDSTICK_FRAME], frame[4096];
    size_t count = 0, whole = 16, size = yardstick_request(frame, service, account);
    if (write(socket, frame, size) != (ssize_t)size) return -1;
    while (count < whole) {
        ssize_t more = read(socket, answer + count, sizeof answer - count);
        if (more <= 0) return -1;
        count += more;
        if (count >= 16) whole = 16 + load32(answer);
    }
    if (load32(answer + 12) || whole < yardstick_answer_size(0)) return -1;
    const uint8_t *entry = answer + 16 + 4 + 8 + 4 + 8;
    uint32_t length = load32(entry + 4);
    if (length > whole - yardstick_answer_size(0) || !(*value = malloc(length + 1))) return -1;
    memcpy(*value, entry + 8, length);
    explicit_bzero(answer, whole);
    return length;
}

void yardstick_append(int file) {
    static const uint8_t page[4096] = {1};
    if (write(file, page, sizeof page) != sizeof page || fdatasync(file)) abort();
}
