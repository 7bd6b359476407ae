// Opening a store: the vault's class keys, the metadata keys, the statements.
#include "store.h"
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A vault in software without a passcode (docs/formats/vault.md, sections 7 and 8): one slot, the device's.
enum {
    VAULT = 852, VAULT_IDENTIFIER = 16, VAULT_WRAPPED = 140, VAULT_INDEX = 560, VAULT_DEVICE = 664, VAULT_SLOT = 696
};
enum { SLOT_SALT = 16, SLOT_WRAPPED = 32 };

static void *checked(void *object, const char *what) {
    if (object) return object;
    fprintf(stderr, "yardstick: %s failed\n", what);
    exit(1);
}

static void check(int works, const char *what) { checked(works ? "" : NULL, what); }

int open_box(
    EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *box, int size, const uint8_t *aad, int aad_size,
    uint8_t *plain) {
    int content = size - NONCE - TAG, count, last;
    if (content < 0 || EVP_DecryptInit_ex2(context, NULL, key, box, NULL) <= 0) return -1;
    if (EVP_DecryptUpdate(context, NULL, &count, aad, aad_size) <= 0) return -1;
    if (EVP_DecryptUpdate(context, plain, &count, box + NONCE, content) <= 0) return -1;
    void *tag = (void *)(box + size - TAG);
    if (EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, tag) <= 0) return -1;
    return EVP_DecryptFinal_ex(context, plain + count, &last) > 0 ? content : -1;
}

void seal_box(
    EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *plain, int size, const uint8_t *aad, int aad_size,
    uint8_t *box) {
    int count;
    check(RAND_bytes(box, NONCE), "randomness");
    check(
        EVP_EncryptInit_ex2(context, NULL, key, box, NULL) > 0
            && EVP_EncryptUpdate(context, NULL, &count, aad, aad_size) > 0
            && EVP_EncryptUpdate(context, box + NONCE, &count, plain, size) > 0
            && EVP_EncryptFinal_ex(context, box + NONCE + count, &count) > 0
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, box + NONCE + size) > 0,
        "sealing");
}

static EVP_CIPHER_CTX *cipher(const uint8_t *key) {
    EVP_CIPHER *gcm = checked(EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL), "AES-256-GCM");
    EVP_CIPHER_CTX *context = checked(EVP_CIPHER_CTX_new(), "a cipher context");
    check(EVP_DecryptInit_ex2(context, gcm, key, NULL, NULL), "AES-256-GCM");
    EVP_CIPHER_free(gcm);
    return context;
}

static void derive(const uint8_t *vault, const char *purpose, uint8_t key[KEY]) {
    EVP_PKEY_CTX *context = checked(EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL), "HKDF");
    size_t size = KEY;
    check(
        EVP_PKEY_derive_init(context) > 0 && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0
            && EVP_PKEY_CTX_set1_hkdf_salt(context, vault + VAULT_IDENTIFIER, 16) > 0
            && EVP_PKEY_CTX_set1_hkdf_key(context, vault + VAULT_DEVICE, KEY) > 0
            && EVP_PKEY_CTX_add1_hkdf_info(context, (const uint8_t *)purpose, strlen(purpose)) > 0
            && EVP_PKEY_derive(context, key, &size) > 0,
        "HKDF");
    EVP_PKEY_CTX_free(context);
}

// Opens a key of the vault; its associated data begins with `about`, and goes on with the vault's version and name.
static int open_key(
    const uint8_t *vault, const uint8_t wrapping[KEY], const uint8_t *wrapped, const uint8_t about[2],
    const uint8_t *more, int more_size, uint8_t key[KEY]) {
    uint8_t aad[64] = {about[0], about[1], 3, 0};
    memcpy(aad + 4, vault + VAULT_IDENTIFIER, 16);
    memcpy(aad + 20, more, more_size);
    EVP_CIPHER_CTX *context = cipher(wrapping);
    int size = open_box(context, NULL, wrapped, WRAPPED, aad, 20 + more_size, key);
    EVP_CIPHER_CTX_free(context);
    return size == KEY;
}

static EVP_MAC_CTX *index_digest(const uint8_t *vault) {
    uint8_t wrapping[KEY], key[KEY];
    derive(vault, "keychain vault 2: index key", wrapping);
    check(open_key(vault, wrapping, vault + VAULT_INDEX, (uint8_t[]){0, 4}, vault, 0, key), "opening the index key");
    EVP_MAC *hmac = checked(EVP_MAC_fetch(NULL, "HMAC", NULL), "HMAC");
    EVP_MAC_CTX *context = checked(EVP_MAC_CTX_new(hmac), "HMAC");
    OSSL_PARAM sha256[] = {OSSL_PARAM_construct_utf8_string("digest", "SHA256", 0), OSSL_PARAM_construct_end()};
    check(EVP_MAC_init(context, key, KEY, sha256), "HMAC");
    EVP_MAC_free(hmac);
    return context;
}

static void open_class_keys(struct yardstick_store *store, const uint8_t *vault) {
    const uint8_t *slot = vault + VAULT_SLOT;
    uint8_t slot_key[KEY], keybag[2][KEY], more[17] = {slot[0]};
    memcpy(more + 1, slot + SLOT_SALT, 16);
    derive(vault, "keychain vault 1: keybag without passcode", slot_key);
    check(
        open_key(vault, slot_key, slot + SLOT_WRAPPED, (uint8_t[]){slot[1], 5}, more, sizeof more, keybag[0]),
        "opening the keybag");
    derive(vault, "keychain vault 1: device keybag", keybag[1]);
    for (int class = 1; class <= CLASSES; class++) {
        // Classes 3 and 6 are always open. The last one exists with a passcode only.
        const uint8_t *wrapped = vault + VAULT_WRAPPED + (class - 1) * WRAPPED;
        uint8_t key[KEY];
        if (open_key(vault, keybag[class % 3 == 0], wrapped, (uint8_t[]){class, 2}, vault, 0, key))
            store->class_key[class] = cipher(key);
    }
}

static void open_vault(struct yardstick_store *store, const char *folder) {
    char path[4096];
    uint8_t vault[VAULT];
    snprintf(path, sizeof path, "%s/vault", folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    check(read(file, vault, VAULT) == VAULT, "reading the vault");
    close(file);
    open_class_keys(store, vault);
    store->index = index_digest(vault);
}

sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    return checked(statement, sql);
}

static void open_metadata_keys(struct yardstick_store *store) {
    sqlite3_stmt *keys = prepare(store->database, "SELECT pdmn, wrapped FROM metadatakeys");
    while (sqlite3_step(keys) == SQLITE_ROW) {
        int class = sqlite3_column_int(keys, 0);
        uint8_t key[KEY], aad[4] = {class, 1};
        if (class < 1 || class > CLASSES || !store->class_key[class]) continue;
        int size = open_box(store->class_key[class], NULL, sqlite3_column_blob(keys, 1), WRAPPED, aad, 4, key);
        if (size == KEY) store->metadata_key[class] = cipher(key);
    }
    sqlite3_finalize(keys);
}

struct yardstick_store *yardstick_open(const char *folder, const char *group, const char *vfs, size_t mapped) {
    struct yardstick_store *store = checked(calloc(1, sizeof *store), "calloc");
    char path[4096];
    snprintf(path, sizeof path, "%s/keychain.db", folder);
    snprintf(store->group, sizeof store->group, "%s", group);
    open_vault(store, folder);
    store->row_key = cipher(NULL);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    check(sqlite3_open_v2(path, &store->database, flags, vfs) == SQLITE_OK, "opening the store");
    snprintf(path, sizeof path, "PRAGMA mmap_size = %zu", mapped);
    sqlite3_exec(store->database, path, NULL, NULL, NULL);
    open_metadata_keys(store);
    digest_text(store, GROUP, (struct text){(uint8_t *)group, strlen(group)}, store->group_digest);
#define ROW "SELECT id, " COLUMN_LIST ", code FROM genp "
    store->by_names =
        prepare(store->database, ROW "WHERE acct = ? AND svce = ? AND +agrp = ? AND tomb = 0 AND sync = 0");
    store->by_key = prepare(store->database, ROW "WHERE pk = ?");
    return store;
}

void yardstick_close(struct yardstick_store *store) {
    sqlite3_finalize(store->by_names);
    sqlite3_finalize(store->by_key);
    sqlite3_close(store->database);
    EVP_MAC_CTX_free(store->index);
    EVP_CIPHER_CTX_free(store->row_key);
    for (int class = 0; class <= CLASSES; class++) {
        EVP_CIPHER_CTX_free(store->class_key[class]);
        EVP_CIPHER_CTX_free(store->metadata_key[class]);
    }
    free(store->keys);
    free(store);
}
