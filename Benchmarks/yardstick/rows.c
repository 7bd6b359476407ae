// The columns of a row besides its sealed parts (docs/formats/store.md, sections 3 and 12): digests, and the code over
// all columns.
#include "store.h"
#include <stdlib.h>
#include <string.h>

struct message {
    uint8_t bytes[YARDSTICK_FRAME];
    size_t size;
};

static void append(struct message *message, const void *bytes, size_t size) {
    if (size > sizeof message->bytes - message->size) abort();
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static void finish(struct yardstick_store *store, const struct message *message, uint8_t digest[DIGEST]) {
    uint8_t whole[32];
    size_t size;
    EVP_MAC_update(store->index, message->bytes, message->size);
    EVP_MAC_final(store->index, whole, &size, sizeof whole);
    EVP_MAC_init(store->index, NULL, 0, NULL);
    memcpy(digest, whole, DIGEST);
}

void digest_text(struct yardstick_store *store, int attribute, struct text text, uint8_t digest[DIGEST]) {
    struct message message = {.size = 0};
    append(&message, (uint8_t[]){attribute, attribute >> 8}, 2);
    append(&message, text.bytes, text.size);
    finish(store, &message, digest);
}

void digest_in_group(struct yardstick_store *store, int attribute, struct text text, uint8_t digest[DIGEST]) {
    uint8_t plain[DIGEST];
    digest_text(store, attribute, text, plain);
    struct message message = {.size = 0};
    append(&message, (uint8_t[]){'s', 'd', GENERIC, attribute, attribute >> 8}, 5);
    append(&message, store->group_digest, DIGEST);
    append(&message, plain, DIGEST);
    finish(store, &message, digest);
}

static void append_part(struct message *message, int attribute, struct text text) {
    uint8_t size[4];
    append(message, (uint8_t[]){attribute, attribute >> 8}, 2);
    append(message, (store32(size, text.size), size), 4);
    append(message, text.bytes, text.size);
}

void digest_key(struct yardstick_store *store, struct text account, struct text service, uint8_t digest[DIGEST]) {
    static const uint8_t no[9] = {3};
    struct message message = {.size = 0};
    append(&message, (uint8_t[]){'p', 'k', GENERIC}, 3);
    append_part(&message, GROUP, (struct text){(uint8_t *)store->group, strlen(store->group)});
    append_part(&message, SYNCHRONIZABLE, (struct text){no, sizeof no});
    append_part(&message, ACCOUNT, account);
    append_part(&message, SERVICE, service);
    // Token, both kinds of views, and the user of the keychain: empty.
    for (int attribute = 57; attribute <= 60; attribute++) append_part(&message, attribute, (struct text){no, 0});
    finish(store, &message, digest);
}

static const char *const names[] = {COLUMN_NAMES};

static void append_head(struct message *message, const char *name, int kind, size_t size) {
    uint8_t length[4];
    append(message, (uint8_t[]){strlen(name)}, 1);
    append(message, name, strlen(name));
    append(message, (uint8_t[]){kind}, 1);
    append(message, (store32(length, size), length), 4);
}

void row_code(struct yardstick_store *store, const struct column *columns, uint8_t code[DIGEST]) {
    struct message message = {.size = 0};
    append(&message, (uint8_t[]){'r', 'c', GENERIC}, 3);
    for (int i = 0; i < COLUMNS; i++) {
        if (columns[i].kind == SQLITE_NULL) continue;
        int isNumber = columns[i].kind == SQLITE_INTEGER;
        append_head(&message, names[i], isNumber ? 1 : 2, isNumber ? 8 : columns[i].size);
        const void *bytes = isNumber ? (const void *)&columns[i].number : columns[i].bytes;
        append(&message, bytes, isNumber ? 8 : columns[i].size);
    }
    finish(store, &message, code);
}

int is_authentic(struct yardstick_store *store, sqlite3_stmt *row) {
    struct column columns[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        columns[i].kind = sqlite3_column_type(row, i + 1);
        columns[i].number = sqlite3_column_int64(row, i + 1);
        columns[i].bytes = sqlite3_column_blob(row, i + 1);
        columns[i].size = sqlite3_column_bytes(row, i + 1);
    }
    uint8_t code[DIGEST];
    row_code(store, columns, code);
    if (sqlite3_column_bytes(row, COLUMNS + 1) != DIGEST) return 0;
    return !memcmp(sqlite3_column_blob(row, COLUMNS + 1), code, DIGEST);
}
