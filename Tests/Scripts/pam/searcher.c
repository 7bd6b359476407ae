/* Logs a user in and out, and counts how often a needle is in its own memory: while the password is remembered, and
 * after pam_end. The needle comes reversed, so that nobody but the modules has it in memory.
 *
 * It takes the folder of services itself: pam_wrapper would leave copies of its own.
 *
 * usage: searcher FOLDER SERVICE USER DELDEEN [keep]        ; with `keep` no session is opened */
#define _GNU_SOURCE
#include <fcntl.h>
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int converse(int count, const struct pam_message **messages, struct pam_response **replies, void *data) {
    (void)messages, (void)data;
    *replies = calloc((size_t)count, sizeof **replies);
    return PAM_SUCCESS;
}

/* Compares backwards, so that this program never makes the needle. */
static int count_in(const unsigned char *bytes, size_t size, const char *reversed) {
    size_t length = strlen(reversed);
    int found = 0;
    for (size_t at = 0; at + length <= size; at++) {
        size_t same = 0;
        while (same < length && bytes[at + same] == (unsigned char)reversed[length - 1 - same]) same++;
        found += same == length;
    }
    return found;
}

static int count_everywhere(const char *reversed) {
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY), found = 0;
    char line[512];
    static unsigned char bytes[1 << 24];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        char access[5];
        if (sscanf(line, "%lx-%lx %4s", &from, &to, access) != 3 || access[1] != 'w') continue;
        if (from <= (unsigned long)bytes && (unsigned long)bytes < to) continue;
        if (to - from > sizeof bytes) to = from + sizeof bytes;
        ssize_t size = pread(memory, bytes, to - from, (off_t)from);
        if (size > 0) found += count_in(bytes, (size_t)size, reversed);
    }
    memset(bytes, 0, sizeof bytes);
    if (maps) fclose(maps);
    close(memory);
    return found;
}

int main(int count, char **words) {
    if (count < 5) return 2;
    struct pam_conv conversation = {converse, NULL};
    pam_handle_t *pam = NULL;
    if (pam_start_confdir(words[2], words[3], &conversation, words[1], &pam) != PAM_SUCCESS) return 3;
    int authenticated = pam_authenticate(pam, 0);
    int before = count_everywhere(words[4]);
    int opened = count > 5 ? 0 : pam_open_session(pam, 0);
    pam_end(pam, PAM_SUCCESS);
    printf("%d %d %d %d\n", authenticated, before, opened, count_everywhere(words[4]));
    return 0;
}
