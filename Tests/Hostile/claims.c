// A program that claims a name: sends a request from its input to a socket and prints the answer, claims SOCKET.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef CLAIM
__attribute__((section(".keychain.claim"), used, retain)) static const char claim[] = CLAIM;
#endif

static char frame[65536];

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, words[1]);
    size_t length = 0;
    for (ssize_t some; (some = read(0, frame + length, sizeof frame - length)) > 0;) length += (size_t)some;
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) return 1;
    if (write(connection, frame, length) != (ssize_t)length) return 1;
    uint32_t body = 0;
    for (size_t had = 0; had < 16 + (size_t)body;) {
        ssize_t some = read(connection, frame + had, sizeof frame - had);
        if (some <= 0) return 1;
        had += (size_t)some;
        if (had >= sizeof body) memcpy(&body, frame, sizeof body);
        length = had;
        if (had < 16) body = 0;
    }
    return fwrite(frame, 1, length, stdout) != length;
}
