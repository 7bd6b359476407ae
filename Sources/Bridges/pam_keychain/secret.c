#define _GNU_SOURCE
#include "pam_keychain.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct secret *make_secret(const char *text, uid_t owner) {
    size_t size = text ? strnlen(text, most_password_bytes + 1) : 0;
    if (size == 0 || size > most_password_bytes) return NULL;
    struct secret *secret =
        mmap(NULL, sizeof *secret, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (secret == MAP_FAILED) return NULL;
    /* Precautions: if they fail, the password may get into swap or a core file. */
    (void)mlock(secret, sizeof *secret);
    (void)madvise(secret, sizeof *secret, MADV_DONTDUMP);
    secret->owner = owner;
    secret->size = size;
    memcpy(secret->bytes, text, size);
    return secret;
}

void drop_secret(struct secret *secret) {
    if (!secret) return;
    explicit_bzero(secret, sizeof *secret);
    (void)munmap(secret, sizeof *secret);
}

int64_t now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
