/* Code of an attacker's in another program's process: it says that it ran, and in which program. */
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void run(void) {
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size < 0) return;
    program[size] = 0;
    dprintf(1, "attacker's code runs in %s\n", program);
}
