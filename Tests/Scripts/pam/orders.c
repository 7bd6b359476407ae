/* Calls PAM in the order that the words say, as a login program or a screen locker does. Prints each call that fails.
 *
 * usage: orders FOLDER SERVICE USER PASSWORD WORD...
 *   auth acct open close chauthtok: the calls.
 *   establish refresh reinitialize delete: pam_setcred with that flag.
 *   user=NAME: sets PAM_USER, as sudo does.
 *   env=NAME=VALUE: sets a variable of PAM's environment. */
#define _GNU_SOURCE
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int converse(int count, const struct pam_message **messages, struct pam_response **replies, void *password) {
    *replies = calloc((size_t)count, sizeof **replies);
    for (int index = 0; index < count; index++)
        if (messages[index]->msg_style == PAM_PROMPT_ECHO_OFF) (*replies)[index].resp = strdup(password);
    return PAM_SUCCESS;
}

static int call(pam_handle_t *pam, const char *word) {
    if (strcmp(word, "auth") == 0) return pam_authenticate(pam, 0);
    if (strcmp(word, "acct") == 0) return pam_acct_mgmt(pam, 0);
    if (strcmp(word, "open") == 0) return pam_open_session(pam, 0);
    if (strcmp(word, "close") == 0) return pam_close_session(pam, 0);
    if (strcmp(word, "chauthtok") == 0) return pam_chauthtok(pam, 0);
    if (strcmp(word, "establish") == 0) return pam_setcred(pam, PAM_ESTABLISH_CRED);
    if (strcmp(word, "refresh") == 0) return pam_setcred(pam, PAM_REFRESH_CRED);
    if (strcmp(word, "reinitialize") == 0) return pam_setcred(pam, PAM_REINITIALIZE_CRED);
    if (strcmp(word, "delete") == 0) return pam_setcred(pam, PAM_DELETE_CRED);
    if (strncmp(word, "user=", 5) == 0) return pam_set_item(pam, PAM_USER, word + 5);
    if (strncmp(word, "env=", 4) == 0) return pam_putenv(pam, word + 4);
    return PAM_SYSTEM_ERR;
}

int main(int count, char **words) {
    if (count < 6) return 2;
    struct pam_conv conversation = {converse, words[4]};
    pam_handle_t *pam = NULL;
    if (pam_start_confdir(words[2], words[3], &conversation, words[1], &pam) != PAM_SUCCESS) return 3;
    int failed = 0;
    for (int index = 5; index < count; index++) {
        int code = call(pam, words[index]);
        if (code == PAM_SUCCESS) continue;
        printf("%s: %s\n", words[index], pam_strerror(pam, code));
        failed = 1;
    }
    pam_end(pam, PAM_SUCCESS);
    return failed;
}
