// Waits for a request, sends it to a socket, and waits for its end: asks SOCKET. All of it is in memory before it says
// that it waits.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char frame[65536];

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(words[1]) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, words[1]);
    if (mlockall(MCL_CURRENT) || write(1, "waits\n", 6) != 6) return 1;
    size_t length = 0;
    for (ssize_t some; (some = read(0, frame + length, sizeof frame - length)) > 0;) length += (size_t)some;
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) return 1;
    if (write(connection, frame, length) != (ssize_t)length || write(1, "asked\n", 6) != 6) return 1;
    while (read(connection, frame, sizeof frame) > 0) {}
    pause();
}
