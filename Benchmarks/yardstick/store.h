// An open store, for the files that work on it.
#pragma once

#include "wire.h"
#include "yardstick.h"
#include <openssl/evp.h>
#include <sqlite3.h>

enum { CLASSES = 7, KEY = 32, NONCE = 12, TAG = 16, WRAPPED = NONCE + KEY + TAG, DIGEST = 16 };

struct yardstick_store {
    sqlite3 *database;
    sqlite3_stmt *by_names, *by_key;
    /// The digests of all primary keys, in the order of the rows; read when the first is needed.
    uint8_t (*keys)[DIGEST];
    size_t rows;
    char group[256];
    EVP_MAC_CTX *index;
    /// By protection class; the row's own keys change with every row.
    EVP_CIPHER_CTX *class_key[CLASSES + 1], *metadata_key[CLASSES + 1], *row_key;
};

/// Opens nonce, ciphertext and tag into `plain`; gives the plaintext's size or -1. A null key is the context's last one.
int open_box(
    EVP_CIPHER_CTX *context, const uint8_t *key, const uint8_t *box, int size, const uint8_t *aad, int aad_size,
    uint8_t *plain);
