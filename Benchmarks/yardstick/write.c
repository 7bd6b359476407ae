// A program that adds, to be measured: each line of input is "add SERVICE COUNT"; a line of output says that it is
// done.
#include "yardstick.h"
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    char service[128], account[32];
    uint8_t value[150];
    long items;
    if (count != 2) return fputs("usage: yardstick-write SOCKET\n", stderr), 2;
    int socket = yardstick_connect(arguments[1]);
    memset(value, 0, sizeof value);
    while (scanf(" add %127s %ld", service, &items) == 2) {
        for (long i = 0; i < items; i++) {
            snprintf(account, sizeof account, "%ld", i);
            if (yardstick_add(socket, service, account, value, sizeof value) == 0) continue;
            return fputs("yardstick-write: an add was refused\n", stderr), 1;
        }
        puts("done");
        fflush(stdout);
    }
}
