// An open store, for the files that work on it.
#pragma once

#include "wire.h"
#include "yardstick.h"
#include <openssl/evp.h>
#include <sqlite3.h>

enum {
    CLASSES = 7, KEY = 32, NONCE = 12, TAG = 16, WRAPPED = NONCE + KEY + TAG, UUID = 16, DIGEST = 16, IDENTITY = 41
};
/// The number of the class of generic passwords, and of its attributes (docs/formats/store.md, section 7).
enum {
    GENERIC = 1, PROTECTION = 1, GROUP = 3, SYNCHRONIZABLE = 4, CREATED = 5, MODIFIED = 6, ACCOUNT = 18, SERVICE = 19
};
enum { HEADER = 16, FIXED = 32, ENTRY = 8, VALUE = 0xF001 };
enum { SUCCESS = 0, PARAM = -50, NOT_FOUND = -25300, DUPLICATE = -25299, DECODE = -26275 };

/// The columns that a code goes over, in the order it does, and what each is read and bound as.
#define COLUMN_NAMES \
    "acct", "agrp", "data", "labl", "meta", "ownr", "pdmn", "pk", "svce", "sync", "tomb", "uuid", "wkey"
#define COLUMN_LIST "acct, agrp, data, labl, meta, ownr, pdmn, pk, svce, sync, tomb, uuid, wkey"
enum { ACCT, AGRP, DATA, LABL, META, OWNR, PDMN, PK, SVCE, SYNC, TOMB, ITEM, WKEY, COLUMNS };

struct text {
    const uint8_t *bytes;
    size_t size;
};

struct column {
    int kind;
    int64_t number;
    const uint8_t *bytes;
    size_t size;
};

struct yardstick_store {
    sqlite3 *database;
    sqlite3_stmt *by_names, *by_key;
    /// The digests of all primary keys, in the order of the rows; read when the first is needed.
    uint8_t (*keys)[DIGEST];
    size_t rows;
    char group[256];
    uint8_t group_digest[DIGEST];
    EVP_MAC_CTX *index;
    /// By protection class; the row's own keys change with every row.
    EVP_CIPHER_CTX *class_key[CLASSES + 1], *metadata_key[CLASSES + 1], *row_key;
};

/// Opens nonce, ciphertext and tag into `plain`; gives the plaintext's size or -1. A null key is the context's last
/// one.
int open_box(
    EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *box, int size, const uint8_t *aad, int aad_size,
    uint8_t *plain);

/// The other way round: makes `size` + 28 bytes. A null key is the context's last one.
void seal_box(
    EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *plain, int size, const uint8_t *aad, int aad_size,
    uint8_t *box);

/// Prepares a statement that is used many times; ends the program when that does not work.
sqlite3_stmt *prepare(sqlite3 *database, const char *sql);

void digest_text(struct yardstick_store *store, int attribute, struct text text, uint8_t digest[DIGEST]);
void digest_in_group(struct yardstick_store *store, int attribute, struct text text, uint8_t digest[DIGEST]);
void digest_key(struct yardstick_store *store, struct text account, struct text service, uint8_t digest[DIGEST]);

/// The code of a row, and whether a row that is read as `id`, COLUMN_LIST, `code` has it.
void row_code(struct yardstick_store *store, const struct column *columns, uint8_t code[DIGEST]);
int is_authentic(struct yardstick_store *store, sqlite3_stmt *row);

/// The attributes of a request, in the order of its entries; 0 when it is none with this operation and class of generic
/// passwords.
struct request {
    struct text account, service, value;
};
int parse_request(const uint8_t *frame, size_t size, int operation, struct request *request);

/// Ends an answer whose body goes up to `end`; gives its size.
size_t finish_answer(uint8_t *answer, const uint8_t *frame, uint8_t *end, int status);

/// The associated data of a row's parts, the last byte of which says which part; `uuid` and `key` have 16 bytes.
void identify(uint8_t identity[IDENTITY], int class, int sync, int tomb, const uint8_t *uuid, const uint8_t *key);
