// One lookup: the handler of the C daemon.
#include "store.h"
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

/// Finds the attributes of a request.
static int parse_list(const uint8_t *at, const uint8_t *end, struct request *request) {
    while (end - at >= ENTRY) {
        struct text text = {at + ENTRY, load32(at + 4)};
        if (at[2] < 1 || at[2] > 4 || text.size > (size_t)(end - text.bytes)) return 0;
        switch (at[0] | at[1] << 8) {
        case ACCOUNT: request->account = text; break;
        case SERVICE: request->service = text; break;
        case VALUE: request->value = text; break;
        default: return 0;
        }
        at = text.bytes + text.size;
    }
    return at == end && request->account.bytes && request->service.bytes;
}

int parse_request(const uint8_t *frame, size_t size, int operation, struct request *request) {
    if (size < HEADER + FIXED || load32(frame) != size - HEADER || frame[4] != 1 || frame[5] != 1) return 0;
    const uint8_t *body = frame + HEADER, *list = body + FIXED;
    uint32_t count = load32(body + 28);
    if (body[0] != operation || body[1] != GENERIC || count > size - HEADER - FIXED) return 0;
    return parse_list(list, list + count, request);
}

void identify(uint8_t identity[IDENTITY], int class, int sync, int tomb, const uint8_t *uuid, const uint8_t *key) {
    memcpy(identity, (uint8_t[]){1, GENERIC, class, sync, tomb, 0, 0, 0}, 8);
    memcpy(identity + 8, uuid, UUID);
    memcpy(identity + 24, key, DIGEST);
}

/// Whether an opened list has these attributes: what the digests found is held against what was asked.
static int has_attribute(const uint8_t *at, const uint8_t *end, int attribute, struct text text) {
    while (end - at >= ENTRY) {
        size_t size = load32(at + 4);
        if (size > (size_t)(end - at - ENTRY)) return 0;
        if ((at[0] | at[1] << 8) == attribute) return size == text.size && !memcmp(at + ENTRY, text.bytes, size);
        at += ENTRY + size;
    }
    return 0;
}

static int is_asked(struct yardstick_store *store, const struct request *asked, const uint8_t *list, size_t size) {
    struct text group = {(uint8_t *)store->group, strlen(store->group)};
    return has_attribute(list, list + size, ACCOUNT, asked->account)
        && has_attribute(list, list + size, SERVICE, asked->service) && has_attribute(list, list + size, GROUP, group);
}

/// Opens the row a statement stands on, which is to be what was asked. The value goes to `value`; gives its size or -1.
static int open_row(struct yardstick_store *store, sqlite3_stmt *row, const struct request *asked, uint8_t *value) {
    int class = sqlite3_column_int(row, 1 + PDMN);
    if (class < 1 || class > CLASSES || !store->metadata_key[class] || !store->class_key[class]) return -1;
    const uint8_t *uuid = sqlite3_column_blob(row, 1 + ITEM), *wrapped = sqlite3_column_blob(row, 1 + WKEY);
    const uint8_t *metadata = sqlite3_column_blob(row, 1 + META), *box = sqlite3_column_blob(row, 1 + DATA);
    int metadata_size = sqlite3_column_bytes(row, 1 + META) - 1 - WRAPPED;
    int size = sqlite3_column_bytes(row, 1 + DATA) - 1;
    if (metadata_size < 0 || metadata_size > 4096 || size < 0) return -1;
    if (sqlite3_column_bytes(row, 1 + WKEY) != WRAPPED) return -1;
    if (!is_authentic(store, row)) return -1;

    uint8_t aad[IDENTITY];
    const uint8_t *primary = sqlite3_column_blob(row, 1 + PK);
    identify(aad, class, sqlite3_column_int(row, 1 + SYNC), sqlite3_column_int(row, 1 + TOMB), uuid, primary);
    uint8_t key[KEY], attributes[4096], binding[20] = {class};
    aad[40] = 1;
    if (open_box(store->metadata_key[class], NULL, metadata + 1, WRAPPED, aad, IDENTITY, key) != KEY) return -1;
    aad[40] = 2;
    metadata_size = open_box(store->row_key, key, metadata + 1 + WRAPPED, metadata_size, aad, IDENTITY, attributes);
    memcpy(binding + 4, uuid, UUID);
    if (metadata_size < TAG) return -1;
    if (asked && !is_asked(store, asked, attributes, metadata_size - TAG)) return -1;
    if (open_box(store->class_key[class], NULL, wrapped, WRAPPED, binding, 20, key) != KEY) return -1;
    aad[40] = 3;
    size = open_box(store->row_key, key, box + 1, size, aad, IDENTITY, value) - TAG - 2;
    OPENSSL_cleanse(key, KEY);
    // Both parts end in the same bytes; before them stand how much padding there is and that there is a value.
    if (size < 0 || !value[size + 1]) return -1;
    if (CRYPTO_memcmp(attributes + metadata_size - TAG, value + size + 2, TAG)) return -1;
    return size - value[size];
}

size_t finish_answer(uint8_t *answer, const uint8_t *frame, uint8_t *end, int status) {
    uint8_t *at = store32(answer, end - answer - HEADER);
    at = store32(at, 1 | 3 << 8);
    memcpy(at, frame + 8, 4);
    store32(at + 4, status);
    return end - answer;
}

size_t yardstick_handle(struct yardstick_store *store, const uint8_t *frame, size_t size, uint8_t *answer) {
    struct request asked = {0};
    if (!parse_request(frame, size, 2, &asked)) return finish_answer(answer, frame, answer + HEADER, PARAM);
    uint8_t digests[2][DIGEST];
    digest_in_group(store, ACCOUNT, asked.account, digests[0]);
    digest_in_group(store, SERVICE, asked.service, digests[1]);
    for (int i = 0; i < 2; i++) sqlite3_bind_blob(store->by_names, i + 1, digests[i], DIGEST, SQLITE_STATIC);
    sqlite3_bind_blob(store->by_names, 3, store->group_digest, DIGEST, SQLITE_STATIC);

    // notice, cursor, one item: its class, its one attribute
    uint8_t *item = answer + HEADER + 4 + 8 + 4, *value = item + 8 + ENTRY;
    memset(answer + HEADER, 0, 12);
    int status = NOT_FOUND, count = 0;
    if (sqlite3_step(store->by_names) == SQLITE_ROW) {
        count = open_row(store, store->by_names, &asked, value);
        status = count < 0 ? DECODE : 0;
    }
    sqlite3_reset(store->by_names);
    if (status) return finish_answer(answer, frame, answer + HEADER, status);
    store32(item - 4, 1);
    store32(store32(item, count + ENTRY), 1);
    store32(store32(item + 8, VALUE | 2 << 16), count);
    return finish_answer(answer, frame, value + count, 0);
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
    int size = sqlite3_step(store->by_key) == SQLITE_ROW ? open_row(store, store->by_key, NULL, value) : -1;
    sqlite3_reset(store->by_key);
    return size;
}
