#define _GNU_SOURCE
#include "pam_keychain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* docs/formats/protocol.md:
 *   frame = length:u32 version:u8 kind:u8 descriptors:u8 0:u8 id:u32 word:u32 body:length
 * Integers are little-endian. Kind 2 is a device request; kind 3 is a response, whose word is the status. */
enum { head_size = 16, version = 1, device_request = 2, response = 3, request_unlock = 3, request_set_passcode = 4 };

/* The status of a password that is not the keychain's (errSecAuthFailed). */
enum { auth_failed = -25293 };

static void put(unsigned char *at, uint32_t number) {
    for (int byte = 0; byte < 4; byte++) at[byte] = (unsigned char)(number >> (8 * byte));
}

static uint32_t get(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A memory file that nobody can change: the daemon passes it to the enclave without reading it. */
static int sealed_file(const struct secret *secret) {
    int file = memfd_create("passcode", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -1;
    if (write(file, secret->bytes, secret->size) == (ssize_t)secret->size
        && fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return file;
    close(file);
    return -1;
}

static bool is_ready(int socket, short events, int64_t deadline) {
    for (;;) {
        int64_t left = deadline - now();
        if (left <= 0) return false;
        struct pollfd request = {.fd = socket, .events = events};
        int count = poll(&request, 1, (int)left);
        if (count > 0) return true;
        if (count == 0 || errno != EINTR) return false;
    }
}

static bool send_request(int socket, const int *files, unsigned char count, int64_t deadline) {
    unsigned char frame[head_size + 1] = {0};
    int64_t left = deadline - now();
    put(frame, 1);
    frame[4] = version;
    frame[5] = device_request;
    frame[6] = count;
    put(frame + 8, 1);
    put(frame + 12, left > 1 ? (uint32_t)left : 1);
    frame[head_size] = count == 1 ? request_unlock : request_set_passcode;
    struct iovec part = {.iov_base = frame, .iov_len = sizeof frame};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes};
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), files, count * sizeof(int));
    /* A new connection has room for so few bytes; a part of them would not be a whole request. */
    return is_ready(socket, POLLOUT, deadline)
        && sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof frame;
}

static enum outcome meaning(int32_t status) {
    return status == 0 ? done : status == auth_failed ? refused : unopened;
}

static enum outcome receive(int socket, int64_t deadline) {
    unsigned char head[head_size];
    for (size_t filled = 0; filled < sizeof head;) {
        if (!is_ready(socket, POLLIN, deadline)) return now() < deadline ? failed : late;
        ssize_t count = recv(socket, head + filled, sizeof head - filled, 0);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count <= 0) return failed;
        filled += (size_t)count;
    }
    if (head[4] != version || head[5] != response || get(head + 8) != 1) return failed;
    return meaning((int32_t)get(head + 12));
}

enum outcome ask(int socket, const struct secret *passcode, const struct secret *replacement, int64_t deadline) {
    int files[2] = {sealed_file(passcode), replacement ? sealed_file(replacement) : -1};
    unsigned char count = replacement ? 2 : 1;
    enum outcome outcome = failed;
    if (files[0] >= 0 && (!replacement || files[1] >= 0) && send_request(socket, files, count, deadline))
        outcome = receive(socket, deadline);
    for (int index = 0; index < 2; index++)
        if (files[index] >= 0) close(files[index]);
    return outcome;
}
