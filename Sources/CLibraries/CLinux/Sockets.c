#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

typedef union {
    struct cmsghdr alignment;
    char bytes[CMSG_SPACE(CLINUX_MAX_DESCRIPTORS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
} control_buffer;

_Static_assert(sizeof(control_buffer) / sizeof(int) <= CLINUX_DESCRIPTOR_ROOM, "what comes has room");

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -1;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int clinux_peer_pidfd(int socket) {
    int pidfd = -1;
    socklen_t size = sizeof pidfd;
    return getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) < 0 ? -1 : pidfd;
}

ssize_t clinux_peer_abstract_name(int socket, char *name) {
    struct sockaddr_un peer = {0};
    socklen_t size = sizeof peer;
    if (getpeername(socket, (struct sockaddr *)&peer, &size) < 0) return -1;
    if (size <= offsetof(struct sockaddr_un, sun_path) + 1 || peer.sun_path[0] != 0) return 0;
    size_t length = size - offsetof(struct sockaddr_un, sun_path) - 1;
    if (length > sizeof peer.sun_path - 1) length = sizeof peer.sun_path - 1;
    memcpy(name, peer.sun_path + 1, length);
    return (ssize_t)length;
}

ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t size, const int *descriptors, size_t count) {
    if (count > CLINUX_MAX_DESCRIPTORS) {
        errno = EMSGSIZE;
        return -1;
    }
    control_buffer control = {0};
    struct iovec part = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int clinux_ask_for_senders(int socket) {
    int yes = 1;
    return setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes);
}

int clinux_asks_for_senders(int socket) {
    int asks = 0;
    socklen_t size = sizeof asks;
    return getsockopt(socket, SOL_SOCKET, SO_PASSCRED, &asks, &size) == 0 && asks != 0;
}

ssize_t clinux_receive_descriptors(
    int socket, void *bytes, size_t size, size_t most, int *descriptors, size_t *count, pid_t *sender, bool *is_whole) {
    control_buffer control;
    struct iovec part = {bytes, size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    // Descriptors for which there is no room are never opened in this process.
    if (most == 0) message.msg_controllen = CMSG_SPACE(sizeof(struct ucred));
    *count = 0;
    *sender = 0;
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (received < 0) return received;
    *is_whole = !(message.msg_flags & MSG_CTRUNC);
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET) continue;
        if (header->cmsg_type == SCM_CREDENTIALS) {
            struct ucred credentials;
            memcpy(&credentials, CMSG_DATA(header), sizeof credentials);
            *sender = credentials.pid;
        }
        if (header->cmsg_type != SCM_RIGHTS) continue;
        size_t attached = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < attached; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            // If no sender is asked for, the room for it may hold more descriptors.
            descriptors[(*count)++] = descriptor;
        }
    }
    if (*count > most) *is_whole = false;
    return received;
}
