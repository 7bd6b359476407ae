/* pam_keychain: unlocks the user's keychain with the password of the login. No Swift and no threads: it is loaded into
 * login, sshd, su and screen lockers.
 *
 *   pam_keychain.c  what PAM calls
 *   options.c       the words behind the module's name in a service's file
 *   secret.c        memory for a password, wiped when it goes
 *   errand.c        a child process for what is to be said to the user's daemon
 *   child.c         which becomes the user and speaks with it
 *   wire.c          the two requests (docs/formats/protocol.md)
 */
#ifndef PAM_KEYCHAIN_H
#define PAM_KEYCHAIN_H

#include <pwd.h>
#include <security/pam_modules.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What a password may have; the daemon takes no more (docs/formats/protocol.md, limits). */
enum { most_password_bytes = 1024 };

/* How long the keychain may hold a login up, in milliseconds. */
enum { patience = 5000 };

struct options {
    bool auto_start, debug, required;
    const char *only_if, *socket, *store, *daemon;
};

void read_options(struct options *options, pam_handle_t *pam, int count, const char **words);
/* Whether this is a login or a screen lock, or one of the services that the options name. */
bool is_login(const struct options *options, pam_handle_t *pam);
/* Whether the keychain's password may follow that of the login here: everywhere, where the options name no services. */
bool may_change(const struct options *options, pam_handle_t *pam);

/* A password in memory of its own: locked, left out of core files. It is one user's: whoever else PAM names by now, to him it is
 * nothing. */
struct secret {
    uid_t owner;
    size_t size;
    unsigned char bytes[most_password_bytes];
};

struct secret *make_secret(const char *text, uid_t owner);
void drop_secret(struct secret *secret);

/* What came of an errand. */
enum outcome {
    done,           /* the daemon did it */
    refused,        /* the daemon refused: another password, or too many wrong ones */
    no_daemon,      /* none runs, and none was to be started */
    failed,         /* it could not be asked, or did not answer in time */
};

/* Unlocks the keychain of a user, or changes its passcode when there is a new one. */
enum outcome run_errand(pam_handle_t *pam, const struct options *options, const struct passwd *user,
                        const struct secret *passcode, const struct secret *replacement, bool may_start);

/* Speaks with the daemon on a socket that is connected; the request is given up at the moment `deadline` of CLOCK_MONOTONIC. */
enum outcome ask(int socket, const struct secret *passcode, const struct secret *replacement, int64_t deadline);

/* The monotonic clock in milliseconds. */
int64_t now(void);

#endif
