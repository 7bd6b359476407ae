/* usage: unlock SOCKET PASSWORD. Unlocks the keychain of the daemon behind a socket, as the PAM module does. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "pam_keychain.h"

int main(int count, char **words) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (count != 3 || strlen(words[1]) >= sizeof place.sun_path) return 2;
    strcpy(place.sun_path, words[1]);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&place, sizeof place) != 0) return 3;
    static const char *const outcomes[] = {
        [done] = "done", [refused] = "refused", [no_daemon] = "none", [failed] = "failed"};
    puts(outcomes[ask(connection, make_secret(words[2], getuid()), NULL, now() + timeout)]);
    return 0;
}
