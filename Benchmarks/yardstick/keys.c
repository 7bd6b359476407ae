// The cost of operations with keys when OpenSSL does them and nothing else is done.
#include "yardstick.h"
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 32, SIGNATURE = 512 };

struct yardstick_key {
    EVP_PKEY *key, *peer;
    EVP_PKEY_CTX *sign, *verify, *agree;
    uint8_t digest[DIGEST], signature[SIGNATURE];
    size_t size;
};

static void *checked(void *object, const char *what) {
    if (object) return object;
    fprintf(stderr, "yardstick: %s failed\n", what);
    exit(1);
}

static EVP_PKEY *make(int is_ec) {
    EVP_PKEY *key = is_ec ? EVP_EC_gen("P-256") : EVP_RSA_gen(2048);
    return checked(key, "making a key");
}

static EVP_PKEY_CTX *context(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *)) {
    EVP_PKEY_CTX *made = checked(EVP_PKEY_CTX_new(key, NULL), "a context");
    checked(init(made) > 0 ? made : NULL, "preparing a context");
    return made;
}

struct yardstick_key *yardstick_key_make(const char *type) {
    int is_ec = !strcmp(type, "EC");
    struct yardstick_key *made = checked(calloc(1, sizeof *made), "memory");
    made->key = make(is_ec);
    made->sign = context(made->key, EVP_PKEY_sign_init);
    made->verify = context(made->key, EVP_PKEY_verify_init);
    if (is_ec) {
        made->peer = make(is_ec);
        made->agree = context(made->key, EVP_PKEY_derive_init);
        checked(EVP_PKEY_derive_set_peer(made->agree, made->peer) > 0 ? made : NULL, "a peer");
    } else {
        EVP_PKEY_CTX *contexts[] = {made->sign, made->verify};
        for (int index = 0; index < 2; index++) EVP_PKEY_CTX_set_signature_md(contexts[index], EVP_sha256());
    }
    checked(yardstick_key_sign(made) ? made : NULL, "signing");
    return made;
}

void yardstick_key_free(struct yardstick_key *key) {
    EVP_PKEY_CTX_free(key->sign);
    EVP_PKEY_CTX_free(key->verify);
    EVP_PKEY_CTX_free(key->agree);
    EVP_PKEY_free(key->key);
    EVP_PKEY_free(key->peer);
    free(key);
}

int yardstick_key_sign(struct yardstick_key *key) {
    key->size = SIGNATURE;
    return EVP_PKEY_sign(key->sign, key->signature, &key->size, key->digest, DIGEST) > 0;
}

int yardstick_key_verify(struct yardstick_key *key) {
    return EVP_PKEY_verify(key->verify, key->signature, key->size, key->digest, DIGEST) > 0;
}

int yardstick_key_agree(struct yardstick_key *key) {
    uint8_t secret[32];
    size_t size = sizeof secret;
    return EVP_PKEY_derive(key->agree, secret, &size) > 0;
}
