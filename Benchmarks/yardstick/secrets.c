// A program that keeps secrets in the Secret Service of its session bus (gnome-keyring), to be measured. Lines of input
// say what to do, a line of output says that it is done:
//
//     add SERVICE COUNT     adds so many items, whose accounts are numbers
//     get SERVICE COUNT     looks each of them up: a search, and its secret
//     list                  all items and their secrets; prints how many
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define NAME "org.freedesktop.secrets"
#define ROOT "/org/freedesktop/secrets"
#define LOGIN ROOT "/collection/login"
#define FOUND ROOT "/collection/found"

static sd_bus *bus;
static char session[256];

static void must(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "yardstick-secrets: %s: %s\n", what, strerror(-result));
    _Exit(1);
}

static sd_bus_message *message(const char *path, const char *interface, const char *member) {
    sd_bus_message *call;
    must(sd_bus_message_new_method_call(bus, &call, NAME, path, interface, member), member);
    return call;
}

static sd_bus_message *answer(sd_bus_message *call) {
    sd_bus_message *reply = NULL;
    must(sd_bus_call(bus, call, 0, NULL, &reply), sd_bus_message_get_member(call));
    sd_bus_message_unref(call);
    return reply;
}

static void open_session(void) {
    sd_bus_message *call = message(ROOT, "org.freedesktop.Secret.Service", "OpenSession");
    must(sd_bus_message_append(call, "sv", "plain", "s", ""), "OpenSession");
    sd_bus_message *reply = answer(call);
    const char *path;
    must(sd_bus_message_skip(reply, "v"), "OpenSession");
    must(sd_bus_message_read(reply, "o", &path), "OpenSession");
    snprintf(session, sizeof session, "%s", path);
    sd_bus_message_unref(reply);
}

/// Opens the collection that the service found when it started, which has no password; there need not be one.
static void unlock_found(void) {
    sd_bus_message *call = message(ROOT, "org.freedesktop.Secret.Service", "Unlock");
    must(sd_bus_message_append(call, "ao", 1, FOUND), "Unlock");
    sd_bus_message_unref(answer(call));
}

static void append_names(sd_bus_message *call, const char *service, const char *account) {
    must(sd_bus_message_append(call, "a{ss}", 2, "service", service, "account", account), "names");
}

static void add(const char *service, const char *account) {
    static const uint8_t value[150];
    sd_bus_message *call = message(LOGIN, "org.freedesktop.Secret.Collection", "CreateItem");
    must(sd_bus_message_open_container(call, 'a', "{sv}"), "properties");
    must(sd_bus_message_append(call, "{sv}", "org.freedesktop.Secret.Item.Label", "s", account), "label");
    must(sd_bus_message_open_container(call, 'e', "sv"), "attributes");
    must(sd_bus_message_append(call, "s", "org.freedesktop.Secret.Item.Attributes"), "attributes");
    must(sd_bus_message_open_container(call, 'v', "a{ss}"), "attributes");
    append_names(call, service, account);
    for (int i = 0; i < 3; i++) must(sd_bus_message_close_container(call), "properties");
    must(sd_bus_message_open_container(call, 'r', "oayays"), "secret");
    must(sd_bus_message_append(call, "o", session), "secret");
    must(sd_bus_message_append_array(call, 'y', NULL, 0), "secret");
    must(sd_bus_message_append_array(call, 'y', value, sizeof value), "secret");
    must(sd_bus_message_append(call, "s", "application/octet-stream"), "secret");
    must(sd_bus_message_close_container(call), "secret");
    must(sd_bus_message_append(call, "b", 0), "secret");
    sd_bus_message_unref(answer(call));
}

/// Asks for the secrets of what a search has found; gives how many came.
static int secrets(sd_bus_message *found) {
    sd_bus_message *call = message(ROOT, "org.freedesktop.Secret.Service", "GetSecrets");
    must(sd_bus_message_copy(call, found, 0), "paths");
    must(sd_bus_message_append(call, "o", session), "session");
    sd_bus_message *reply = answer(call);
    int count = 0;
    must(sd_bus_message_enter_container(reply, 'a', "{o(oayays)}"), "secrets");
    for (; !sd_bus_message_at_end(reply, 0); count++) must(sd_bus_message_skip(reply, "{o(oayays)}"), "a secret");
    sd_bus_message_unref(reply);
    return count;
}

static int find(const char *service, const char *account) {
    sd_bus_message *call = message(ROOT, "org.freedesktop.Secret.Service", "SearchItems");
    if (service) append_names(call, service, account);
    else must(sd_bus_message_append(call, "a{ss}", 0), "names");
    sd_bus_message *reply = answer(call);
    int count = secrets(reply);
    sd_bus_message_unref(reply);
    return count;
}

static void repeat(const char *order, const char *service, long count) {
    for (long i = 0; i < count; i++) {
        char account[32];
        snprintf(account, sizeof account, "%ld", i);
        if (!strcmp(order, "add")) add(service, account);
        else must(find(service, account) == 1 ? 0 : -2, account);
    }
    puts("done");
}

/// Whether the service is there, with its collection open. Asking does not start another one.
static int is_ready(void) {
    sd_bus_message *reply = NULL, *call = message(LOGIN, "org.freedesktop.DBus.Properties", "Get");
    must(sd_bus_message_set_auto_start(call, 0), "Get");
    must(sd_bus_message_append(call, "ss", "org.freedesktop.Secret.Collection", "Locked"), "Get");
    int locked = 1;
    int works = sd_bus_call(bus, call, 0, NULL, &reply) >= 0 && sd_bus_message_read(reply, "v", "b", &locked) >= 0;
    sd_bus_message_unref(call);
    sd_bus_message_unref(reply);
    return works && !locked;
}

int main(void) {
    char line[256], order[8], service[128];
    long count;
    must(sd_bus_open_user(&bus), "the bus");
    for (int tries = 0; !is_ready(); tries++) {
        must(tries < 500 ? 0 : -110, "waiting for the service");
        usleep(20000);
    }
    open_session();
    unlock_found();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%7s %127s %ld", order, service, &count) == 3) repeat(order, service, count);
        else printf("%d\n", find(NULL, NULL));
        fflush(stdout);
    }
}
