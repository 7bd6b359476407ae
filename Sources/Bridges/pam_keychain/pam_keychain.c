#define _GNU_SOURCE
#include "pam_keychain.h"

#include <security/pam_ext.h>
#include <security/pam_modutil.h>
#include <string.h>
#include <syslog.h>

/* The entry points that PAM calls.
 *
 *   auth      remembers the password that an earlier module has verified, and its user, until the login is complete
 *   setcred   unlocks if the daemon already runs: a screen locker opens no session
 *   session   unlocks, and starts the daemon if the options say so
 *   password  gives the keychain the new password of the login
 *
 * The keychain gets a password only after the login has succeeded, because a wrong one would count there too. A program
 * may name another user in between, as sudo does: then the password is forgotten. Nothing here refuses a login, unless
 * the option `required` says so. */

#define VISIBLE __attribute__((visibility("default")))

static const char data_name[] = "pam_keychain.password";

static void clean_up(pam_handle_t *pam, void *data, int status) {
    (void)pam;
    (void)status;
    drop_secret(data);
}

static const struct passwd *find_user(pam_handle_t *pam) {
    const char *name = NULL;
    if (pam_get_user(pam, &name, NULL) != PAM_SUCCESS || !name) return NULL;
    return pam_modutil_getpwnam(pam, name);
}

/* The reason why nothing was done, for the log. */
static const char *reason(enum outcome outcome) {
    switch (outcome) {
    case done: return "it was done";
    case refused: return "it has another password, or there were too many wrong ones";
    case no_daemon: return "no daemon runs, and none was to be started";
    case late: return "its daemon did not answer in time";
    case unopened: return "its daemon cannot open it, for a reason that stands in the daemon's log";
    case failed: break;
    }
    return "its daemon could not be started or asked";
}

static int code(enum outcome outcome) {
    switch (outcome) {
    case done: return PAM_SUCCESS;
    case refused: return PAM_AUTH_ERR;
    case no_daemon:
    case late: return PAM_AUTHINFO_UNAVAIL;
    case unopened: return PAM_CRED_UNAVAIL;
    case failed: break;
    }
    return PAM_SERVICE_ERR;
}

static int result(const struct options *options, enum outcome outcome) {
    if (outcome == done) return PAM_SUCCESS;
    return options->required ? code(outcome) : PAM_IGNORE;
}

static bool is_worth_a_line(const struct options *options, enum outcome outcome) {
    return outcome != done && (outcome != no_daemon || options->required);
}

static void forget(pam_handle_t *pam) {
    (void)pam_set_data(pam, data_name, NULL, NULL);
}

/* The remembered password, if it is the user's; another user's is forgotten for good. */
static const struct secret *recall(pam_handle_t *pam, const struct passwd *user) {
    const void *data = NULL;
    if (pam_get_data(pam, data_name, &data) != PAM_SUCCESS || !data) return NULL;
    const struct secret *secret = data;
    if (user && secret->owner == user->pw_uid) return secret;
    forget(pam);
    return NULL;
}

/* Unlocks with the remembered password, and forgets it when the keychain has answered. */
static int unlock(pam_handle_t *pam, const struct options *options, bool may_start) {
    const struct passwd *user = find_user(pam);
    const struct secret *secret = recall(pam, user);
    if (!secret) return PAM_IGNORE;
    enum outcome outcome = run_errand(pam, options, user, secret, NULL, may_start);
    if (is_worth_a_line(options, outcome))
        pam_syslog(pam, outcome == refused ? LOG_NOTICE : LOG_WARNING,
                   "keychain: the login does not open that of %s: %s", user->pw_name, reason(outcome));
    if (outcome == done || outcome == refused) forget(pam);
    return result(options, outcome);
}

VISIBLE int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **words) {
    (void)flags;
    struct options options;
    read_options(&options, pam, count, words);
    /* Forgets the password of an earlier attempt of the same program, perhaps for another user. */
    forget(pam);
    if (!is_login(&options, pam)) return PAM_IGNORE;
    const void *token = NULL;
    if (pam_get_item(pam, PAM_AUTHTOK, &token) != PAM_SUCCESS || !token) {
        if (options.debug) pam_syslog(pam, LOG_DEBUG, "keychain: no module before this one has asked for a password");
        return PAM_IGNORE;
    }
    const struct passwd *user = find_user(pam);
    struct secret *secret = user ? make_secret(token, user->pw_uid) : NULL;
    if (!secret) return PAM_IGNORE;
    if (pam_set_data(pam, data_name, secret, clean_up) != PAM_SUCCESS) drop_secret(secret);
    return PAM_IGNORE;
}

VISIBLE int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **words) {
    struct options options;
    read_options(&options, pam, count, words);
    if (((unsigned)flags & PAM_DELETE_CRED) != 0) forget(pam);
    else if (is_login(&options, pam)) (void)unlock(pam, &options, false);
    return PAM_IGNORE;
}

VISIBLE int pam_sm_open_session(pam_handle_t *pam, int flags, int count, const char **words) {
    (void)flags;
    struct options options;
    read_options(&options, pam, count, words);
    return is_login(&options, pam) ? unlock(pam, &options, options.auto_start) : PAM_IGNORE;
}

VISIBLE int pam_sm_close_session(pam_handle_t *pam, int flags, int count, const char **words) {
    (void)pam;
    (void)flags;
    (void)count;
    (void)words;
    return PAM_IGNORE;
}

VISIBLE int pam_sm_chauthtok(pam_handle_t *pam, int flags, int count, const char **words) {
    struct options options;
    read_options(&options, pam, count, words);
    /* The first of two calls only asks whether the change is possible; the keychain does not prevent it. */
    if (((unsigned)flags & PAM_PRELIM_CHECK) != 0 || !may_change(&options, pam)) return PAM_IGNORE;
    const struct passwd *user = find_user(pam);
    const void *old = NULL, *new = NULL;
    if (!user || pam_get_item(pam, PAM_AUTHTOK, &new) != PAM_SUCCESS || !new) return PAM_IGNORE;
    if (pam_get_item(pam, PAM_OLDAUTHTOK, &old) != PAM_SUCCESS || !old) {
        pam_syslog(pam, LOG_NOTICE, "keychain: without the old password the keychain of %s keeps it", user->pw_name);
        return PAM_IGNORE;
    }
    struct secret *passcode = make_secret(old, user->pw_uid), *replacement = make_secret(new, user->pw_uid);
    enum outcome outcome = failed;
    if (passcode && replacement) outcome = run_errand(pam, &options, user, passcode, replacement, true);
    drop_secret(passcode);
    drop_secret(replacement);
    if (is_worth_a_line(&options, outcome))
        pam_syslog(pam, LOG_NOTICE, "keychain: that of %s keeps its password: %s", user->pw_name, reason(outcome));
    return result(&options, outcome);
}
