#include "pam_keychain.h"

#include <security/pam_ext.h>
#include <string.h>
#include <syslog.h>

static const char *value(const char *word, const char *name) {
    size_t size = strlen(name);
    return strncmp(word, name, size) == 0 ? word + size : NULL;
}

void read_options(struct options *options, pam_handle_t *pam, int count, const char **words) {
    *options = (struct options){.auto_start = false};
    for (int index = 0; index < count; index++) {
        const char *word = words[index];
        const char *found;
        if (strcmp(word, "auto_start") == 0) options->auto_start = true;
        else if (strcmp(word, "debug") == 0) options->debug = true;
        else if (strcmp(word, "required") == 0) options->required = true;
        else if ((found = value(word, "only_if="))) options->only_if = found;
        else if ((found = value(word, "socket="))) options->socket = found;
        else if ((found = value(word, "store="))) options->store = found;
        else if ((found = value(word, "daemon="))) options->daemon = found;
        else if ((found = value(word, "command="))) options->command = found;
        else pam_syslog(pam, LOG_WARNING, "keychain: there is no option \"%s\"", word);
    }
}

/* The services through which a user logs in or unlocks the screen. Services that use a user's password for something
 * else (sudo, su, polkit, a mail server) are not in the list: either the user is logged in already, or somebody else
 * is. */
static const char logins[] =
    "login,remote,sshd,"
    "gdm-password,gdm,lightdm,sddm,plasmalogin,lxdm,slim,xdm,wdm,greetd,ly,cosmic-greeter,"
    "kde,kscreensaver,cinnamon-screensaver,mate-screensaver,gnome-screensaver,xfce4-screensaver,budgie-screensaver,"
    "xscreensaver,xsecurelock,xlock,i3lock,swaylock,hyprlock,gtklock,waylock,physlock,vlock,unity";

/* Whether the service is in a list of names between commas. */
static bool is_among(const char *list, pam_handle_t *pam) {
    const void *item = NULL;
    if (pam_get_item(pam, PAM_SERVICE, &item) != PAM_SUCCESS || !item) return false;
    const char *service = item;
    size_t size = strlen(service);
    for (const char *rest = list; *rest;) {
        size_t length = strcspn(rest, ",");
        if (length == size && strncmp(rest, service, size) == 0) return true;
        rest += length + (rest[length] == ',');
    }
    return false;
}

bool is_login(const struct options *options, pam_handle_t *pam) {
    return is_among(options->only_if ? options->only_if : logins, pam);
}

bool may_change(const struct options *options, pam_handle_t *pam) {
    return !options->only_if || is_among(options->only_if, pam);
}
