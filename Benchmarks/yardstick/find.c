// A program that asks a daemon: for one password, as a script does, or for many, to be measured.
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char usage[] =
    "usage: yardstick-find SOCKET SERVICE ACCOUNT   prints a password\n"
    "       yardstick-find SOCKET                   looks up what stdin says: FIRST COUNT ITEMS\n";

static int look_up(int socket, const char *service, const char *account, uint8_t **value) {
    int size = yardstick_look_up(socket, service, account, value);
    if (size >= 0) return size;
    fputs("yardstick-find: no such item\n", stderr);
    exit(1);
}

static int find(int socket, const char *service, const char *account) {
    uint8_t *value;
    int size = look_up(socket, service, account, &value);
    value[size] = '\n';
    return write(1, value, size + 1) == size + 1 ? 0 : 1;
}

static void find_number(int socket, long number) {
    char service[64], account[64];
    uint8_t *value;
    snprintf(service, sizeof service, "com.example.service%ld", number % 1000);
    snprintf(account, sizeof account, "user%ld@example.com", number);
    look_up(socket, service, account, &value);
    free(value);
}

/// Each line of input is COUNT lookups all over a store of ITEMS; a line of output says that they are done.
static int find_many(int socket) {
    long first, count, items;
    while (scanf("%ld %ld %ld", &first, &count, &items) == 3) {
        for (long i = first; i < first + count; i++) find_number(socket, i * YARDSTICK_STRIDE % items);
        puts("done");
        fflush(stdout);
    }
    return 0;
}

int main(int count, char **arguments) {
    if (count != 2 && count != 4) return fputs(usage, stderr), 2;
    int socket = yardstick_connect(arguments[1]);
    return count == 2 ? find_many(socket) : find(socket, arguments[2], arguments[3]);
}
