/* The data that a login program prepares for the child that connects to the user's daemon. It consists of texts that
 * were not checked against the file system. */
#ifndef PAM_KEYCHAIN_ERRAND_H
#define PAM_KEYCHAIN_ERRAND_H

#include "pam_keychain.h"

enum { most_groups = 256, most_path = 512 };

struct errand {
    const struct secret *passcode, *replacement;
    const struct passwd *user;
    gid_t groups[most_groups];
    int group_count;
    bool may_start;
    /* The only socket to use, if the options name one. */
    const char *given_socket;
    /* If the options name a store, only its daemon is used. */
    bool has_given_store;
    const char *given_daemon, *given_command;
    char store[most_path], log[most_path + 16], home[most_path + 8];
    /* The user's runtime folder, the project's folder in it, and the sockets in there and next to the store. */
    char runtime[most_path], runtime_folder[most_path], runtime_socket[most_path], store_socket[most_path];
    int64_t deadline;
};

/* Runs in the child: becomes the user, finds or starts the daemon, and sends the request. */
enum outcome carry_out(struct errand *errand);

#endif
