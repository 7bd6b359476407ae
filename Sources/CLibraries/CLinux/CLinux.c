#include "CLinux.h"

#include <string.h>
#include <sys/mman.h>

void *clinux_map_secret(size_t size, int *locked) {
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    // Locks each page at its first use: most pages of a mapping stay unused, and loading them all would delay a short
    // program.
    *locked = mlock2(start, size, MLOCK_ONFAULT) == 0 || mlock(start, size) == 0;
    madvise(start, size, MADV_DONTDUMP);
    madvise(start, size, MADV_WIPEONFORK);
    return start;
}

void clinux_wipe(void *start, size_t size) {
    memset(start, 0, size);
    __asm__ __volatile__("" : : "r"(start) : "memory");
}
