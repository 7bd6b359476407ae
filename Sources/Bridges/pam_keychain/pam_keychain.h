/* pam_keychain: unlocks the user's keychain with the password of the login. It has no Swift and no threads, because
 * login, sshd, su and screen lockers load it.
 *
 *   pam_keychain.c  the entry points that PAM calls
 *   options.c       the options of the module in a service's file
 *   secret.c        memory for a password, wiped when it is freed
 *   errand.c        starts a child process for the requests to the user's daemon
 *   child.c         the child, which becomes the user and connects to the daemon, or has `security` do it
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

/* The maximum size of a password; the daemon takes no more (docs/formats/protocol.md, limits). */
enum { most_password_bytes = 1024 };

/* The time limit for a login's requests to the keychain, in milliseconds. A test of something else builds the module
   with a longer one. */
#ifndef KEYCHAIN_PAM_TIMEOUT
#define KEYCHAIN_PAM_TIMEOUT 5000
#endif
enum { timeout = KEYCHAIN_PAM_TIMEOUT };

struct options {
    bool auto_start, debug, required;
    const char *only_if, *socket, *store, *daemon, *command;
};

void read_options(struct options *options, pam_handle_t *pam, int count, const char **words);
/* Whether this is a login or a screen lock, or one of the services in the options. */
bool is_login(const struct options *options, pam_handle_t *pam);
/* Whether the keychain's password may change with that of the login here: everywhere, if the options name no
 * services. */
bool may_change(const struct options *options, pam_handle_t *pam);

/* A password in separate memory: locked, left out of core files. It belongs to one user and is useless for any other
 * user that PAM names later. */
struct secret {
    uid_t owner;
    size_t size;
    unsigned char bytes[most_password_bytes];
};

struct secret *make_secret(const char *text, uid_t owner);
void drop_secret(struct secret *secret);

/* The outcome of an errand. */
enum outcome {
    done,           /* the daemon did it */
    refused,        /* the daemon refused: another password, or too many wrong ones */
    no_daemon,      /* none runs, and none was to be started */
    late,           /* it did not answer in time */
    unopened,       /* it cannot open the keychain, whatever the password: a damaged file, a full disk */
    failed,         /* it could not be started or asked */
};

/* Unlocks the keychain of a user, or changes its passcode when there is a new one. */
enum outcome run_errand(pam_handle_t *pam, const struct options *options, const struct passwd *user,
                        const struct secret *passcode, const struct secret *replacement, bool may_start);

/* Sends the request on a connected socket; it fails at the moment `deadline` of CLOCK_MONOTONIC. */
enum outcome ask(int socket, const struct secret *passcode, const struct secret *replacement, int64_t deadline);

/* The monotonic clock in milliseconds. */
int64_t now(void);

#endif
