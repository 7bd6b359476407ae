// The client's end.
#include "wire.h"
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static uint8_t *append_entry(uint8_t *at, int attribute, int kind, const void *bytes, size_t size) {
    at = store32(store32(at, attribute | kind << 16), size);
    memcpy(at, bytes, size);
    return at + size;
}

static uint8_t *append_text(uint8_t *at, int attribute, const char *text) {
    return append_entry(at, attribute, 1, text, strlen(text));
}

/// Writes header and fixed part of a request about generic passwords, whose query ends at `end`.
static size_t finish_request(uint8_t *frame, uint8_t *end, int operation, int returns, int limit) {
    uint8_t *body = frame + 16;
    memset(frame, 0, 48);
    memcpy(body, (uint8_t[]){operation, 1, returns}, 3);
    store32(body + 8, limit);
    store32(body + 28, end - (body + 32));
    store32(frame, end - body);
    store32(frame + 4, 1 | 1 << 8);
    store32(frame + 12, 60000);
    return end - frame;
}

size_t yardstick_request(uint8_t *frame, const char *service, const char *account) {
    uint8_t *end = append_text(append_text(frame + 48, 19, service), 18, account);
    return finish_request(frame, end, 2, 1, 1); // find one, return its data
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

int yardstick_add(int socket, const char *service, const char *account, const uint8_t *value, size_t size) {
    uint8_t frame[4096], answer[4096];
    if (size > sizeof frame - 1024 || strlen(service) + strlen(account) > 512) return -1;
    uint8_t *end = append_text(append_text(frame + 48, 19, service), 18, account);
    size_t whole = finish_request(frame, append_entry(end, 0xF001, 2, value, size), 1, 0, 0);
    int works = write(socket, frame, whole) == (ssize_t)whole;
    explicit_bzero(frame, whole);
    return works && read(socket, answer, sizeof answer) >= 16 ? (int)load32(answer + 12) : -1;
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
