/* What a login program prepares for the child that speaks with the user's daemon: words, and nothing that was looked at. */
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
    /* The only socket there is, where the options name one. */
    const char *given_socket;
    /* Where a store was named, its daemon is meant and no other. */
    bool has_given_store;
    const char *given_daemon;
    char store[most_path], log[most_path + 16], home[most_path + 8];
    /* The user's runtime folder, our folder in it, and the sockets in there and beside the store. */
    char runtime[most_path], runtime_folder[most_path], runtime_socket[most_path], store_socket[most_path];
    int64_t deadline;
};

/* In the child: becomes the user, finds the daemon or starts it, and asks. */
enum outcome carry_out(struct errand *errand);

#endif
