/* Preloaded into a login program: says on standard error which files it looks at as root that lie below WATCHED. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void note(const char *path) {
    const char *watched = getenv("WATCHED");
    if (watched && geteuid() == 0 && strncmp(path, watched, strlen(watched)) == 0)
        fprintf(stderr, "root looks at %s\n", path);
}

int stat(const char *path, struct stat *status) {
    note(path);
    int (*real)(const char *, struct stat *) = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "stat");
    return real(path, status);
}

int lstat(const char *path, struct stat *status) {
    note(path);
    int (*real)(const char *, struct stat *) = (int (*)(const char *, struct stat *))dlsym(RTLD_NEXT, "lstat");
    return real(path, status);
}

int access(const char *path, int mode) {
    note(path);
    int (*real)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
    return real(path, mode);
}
