/* The module that knows the password of the login, as pam_unix does. pam_wrapper's pam_matrix will not do: it wipes the
 * password before the modules behind it see it.
 *
 * With `password=TEXT` it asks for the password and compares; with `fd=N` it takes it from a descriptor, so that this
 * program has no other copy of it. */
#define _GNU_SOURCE
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int take(pam_handle_t *pam, int file) {
    char text[64] = {0};
    if (read(file, text, sizeof text - 1) <= 0) return PAM_AUTH_ERR;
    int result = pam_set_item(pam, PAM_AUTHTOK, text);
    explicit_bzero(text, sizeof text);
    return result;
}

static int check(pam_handle_t *pam, int item, const char *password) {
    const char *given = NULL;
    if (pam_get_authtok(pam, item, &given, NULL) != PAM_SUCCESS || !given) return PAM_AUTHTOK_ERR;
    return strcmp(given, password) == 0 ? PAM_SUCCESS : PAM_AUTH_ERR;
}

int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **words) {
    (void)flags;
    if (count != 1) return PAM_AUTH_ERR;
    if (strncmp(words[0], "fd=", 3) == 0) return take(pam, atoi(words[0] + 3));
    return check(pam, PAM_AUTHTOK, words[0] + strlen("password="));
}

int pam_sm_chauthtok(pam_handle_t *pam, int flags, int count, const char **words) {
    if (count != 1) return PAM_AUTHTOK_ERR;
    if (flags & PAM_PRELIM_CHECK) return check(pam, PAM_OLDAUTHTOK, words[0] + strlen("password="));
    const char *new = NULL;
    return pam_get_authtok(pam, PAM_AUTHTOK, &new, NULL) == PAM_SUCCESS && new ? PAM_SUCCESS : PAM_AUTHTOK_ERR;
}

int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **words) {
    (void)pam, (void)flags, (void)count, (void)words;
    return PAM_SUCCESS;
}
