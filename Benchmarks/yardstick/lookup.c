// One lookup: the handler of the C daemon.
#include "store.h"
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 16, FIXED = 32, ENTRY = 8, ACCOUNT = 18, SERVICE = 19, GROUP = 3, VALUE = 0xF001, IDENTITY = 41 };
enum { PARAM = -50, NOT_FOUND = -25300, DECODE = -26275 };

struct text {
    const uint8_t *bytes;
    size_t size;
};

struct query {
    struct text account, service;
};

/// Finds the compared attributes; 0 when the frame is not a lookup.
static int parse(const uint8_t *frame, size_t size, struct query *query) {
    if (size < HEADER + FIXED || load32(frame) != size - HEADER || frame[4] != 1 || frame[5] != 1) return 0;
    const uint8_t *body = frame + HEADER, *at = body + FIXED, *end = at + load32(body + 28);
    if (body[0] != 2 || body[1] != 1 || end > frame + size) return 0;
    while (end - at >= ENTRY) {
        struct text text = {at + ENTRY, load32(at + 4)};
        if (at[2] < 1 || at[2] > 4 || text.size > (size_t)(end - text.bytes)) return 0;
        switch (at[0] | at[1] << 8) {
        case ACCOUNT: query->account = text; break;
        case SERVICE: query->service = text; break;
        default: return 0;
        }
        at = text.bytes + text.size;
    }
    return at == end && query->account.bytes && query->service.bytes;
}

static void digest(struct yardstick_store *store, int attribute, struct text text, uint8_t whole[32]) {
    uint8_t number[2] = {attribute, attribute >> 8};
    size_t size;
    EVP_MAC_update(store->index, number, 2);
    EVP_MAC_update(store->index, text.bytes, text.size);
    EVP_MAC_final(store->index, whole, &size, 32);
    EVP_MAC_init(store->index, NULL, 0, NULL);
}

/// What the column has in place of a digest: another one in every class and group.
static void salt(struct yardstick_store *store, int attribute, const uint8_t group[32], uint8_t digest[32]) {
    uint8_t message[5 + 2 * DIGEST] = {'s', 'd', 1, attribute, attribute >> 8};
    size_t size;
    memcpy(message + 5, group, DIGEST);
    memcpy(message + 5 + DIGEST, digest, DIGEST);
    EVP_MAC_update(store->index, message, sizeof message);
    EVP_MAC_final(store->index, digest, &size, 32);
    EVP_MAC_init(store->index, NULL, 0, NULL);
}

/// Opens the row a statement stands on. The value goes to `value`; gives its size or -1.
static int open_row(struct yardstick_store *store, sqlite3_stmt *row, uint8_t *value) {
    int class = sqlite3_column_int(row, 3);
    if (class < 1 || class > CLASSES || !store->metadata_key[class] || !store->class_key[class]) return -1;
    const uint8_t *uuid = sqlite3_column_blob(row, 1), *wrapped = sqlite3_column_blob(row, 6);
    const uint8_t *metadata = sqlite3_column_blob(row, 7), *box = sqlite3_column_blob(row, 8);
    int metadata_size = sqlite3_column_bytes(row, 7) - 1 - WRAPPED, size = sqlite3_column_bytes(row, 8) - 1;
    if (metadata_size < 0 || metadata_size > 4096 || size < 0 || sqlite3_column_bytes(row, 6) != WRAPPED) return -1;

    uint8_t aad[IDENTITY] = {1, 1, class, sqlite3_column_int(row, 4), sqlite3_column_int(row, 5)};
    memcpy(aad + 8, uuid, 16);
    memcpy(aad + 24, sqlite3_column_blob(row, 2), DIGEST);
    uint8_t key[KEY], attributes[4096], binding[20] = {class};
    aad[40] = 1;
    if (open_box(store->metadata_key[class], NULL, metadata + 1, WRAPPED, aad, IDENTITY, key) != KEY) return -1;
    aad[40] = 2;
    metadata_size = open_box(store->row_key, key, metadata + 1 + WRAPPED, metadata_size, aad, IDENTITY, attributes);
    memcpy(binding + 4, uuid, 16);
    if (metadata_size < TAG || open_box(store->class_key[class], NULL, wrapped, WRAPPED, binding, 20, key) != KEY)
        return -1;
    aad[40] = 3;
    size = open_box(store->row_key, key, box + 1, size, aad, IDENTITY, value) - TAG - 2;
    OPENSSL_cleanse(key, KEY);
    // Both parts end in the same bytes; before them stand how much padding there is and that there is a value.
    if (size < 0 || CRYPTO_memcmp(attributes + metadata_size - TAG, value + size + 2, TAG) || !value[size + 1]) return -1;
    return size - value[size];
}

static size_t finish(uint8_t *answer, const uint8_t *frame, uint8_t *end, int status) {
    uint8_t *at = store32(answer, end - answer - HEADER);
    at = store32(at, 1 | 3 << 8);
    memcpy(at, frame + 8, 4);
    store32(at + 4, status);
    return end - answer;
}

size_t yardstick_handle(struct yardstick_store *store, const uint8_t *frame, size_t size, uint8_t *answer) {
    struct query query = {0};
    if (!parse(frame, size, &query)) return finish(answer, frame, answer + HEADER, PARAM);
    uint8_t digests[3][32];
    digest(store, ACCOUNT, query.account, digests[0]);
    digest(store, SERVICE, query.service, digests[1]);
    digest(store, GROUP, (struct text){(uint8_t *)store->group, strlen(store->group)}, digests[2]);
    salt(store, ACCOUNT, digests[2], digests[0]);
    salt(store, SERVICE, digests[2], digests[1]);
    for (int i = 0; i < 3; i++) sqlite3_bind_blob(store->by_names, i + 1, digests[i], DIGEST, SQLITE_STATIC);

    // notice, cursor, one item: its class, its one attribute
    uint8_t *item = answer + HEADER + 4 + 8 + 4, *value = item + 8 + ENTRY;
    memset(answer + HEADER, 0, 12);
    int status = NOT_FOUND, count = 0;
    if (sqlite3_step(store->by_names) == SQLITE_ROW) {
        count = open_row(store, store->by_names, value);
        status = count < 0 ? DECODE : 0;
    }
    sqlite3_reset(store->by_names);
    if (status) return finish(answer, frame, answer + HEADER, status);
    store32(item - 4, 1);
    store32(store32(item, count + ENTRY), 1);
    store32(store32(item + 8, VALUE | 2 << 16), count);
    return finish(answer, frame, value + count, 0);
}

static void read_keys(struct yardstick_store *store) {
    sqlite3_stmt *all;
    sqlite3_prepare_v2(store->database, "SELECT pk FROM genp ORDER BY id", -1, &all, NULL);
    for (; sqlite3_step(all) == SQLITE_ROW; store->rows++) {
        if (!(store->rows & (store->rows - 1)))
            store->keys = realloc(store->keys, (store->rows ? store->rows * 2 : 1) * sizeof *store->keys);
        memcpy(store->keys[store->rows], sqlite3_column_blob(all, 0), DIGEST);
    }
    sqlite3_finalize(all);
}

int yardstick_point_read(struct yardstick_store *store, size_t number) {
    uint8_t value[YARDSTICK_FRAME];
    if (!store->keys) read_keys(store);
    if (number >= store->rows) return -1;
    sqlite3_bind_blob(store->by_key, 1, store->keys[number], DIGEST, SQLITE_STATIC);
    int size = sqlite3_step(store->by_key) == SQLITE_ROW ? open_row(store, store->by_key, value) : -1;
    sqlite3_reset(store->by_key);
    return size;
}
