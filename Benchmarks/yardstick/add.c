// Adding items: the C daemon adds for all clients that ask at the same moment in one transaction. The rows are such as
// the product writes and opens (docs/formats/store.md). Row keys are wrapped in another process, as by the product's
// enclave.
#include "store.h"
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// kSecAttrAccessibleWhenUnlocked; 2001-01-01 in seconds since 1970; a log of so many pages is moved into the database.
enum { UNLOCKED = 1, REFERENCE_DATE = 978307200, LONG_LOG = 1000 };

struct wrapping {
    uint8_t uuid[UUID], key[KEY];
};

struct yardstick_writer {
    struct yardstick_store *store;
    sqlite3_stmt *begin, *insert, *count, *commit;
    uint8_t owner[DIGEST];
    int enclave, log;
};

struct addition {
    struct request request;
    struct wrapping key;
    uint8_t wrapped[WRAPPED];
    int status;
};

static void must(int works, const char *what) {
    if (works) return;
    fprintf(stderr, "yardstick: %s failed\n", what);
    exit(1);
}

// MARK: - The enclave

static void wrap(EVP_CIPHER_CTX *class_key, const struct wrapping *one, uint8_t wrapped[WRAPPED]) {
    uint8_t binding[4 + UUID] = {UNLOCKED};
    memcpy(binding + 4, one->uuid, UUID);
    seal_box(class_key, NULL, one->key, KEY, binding, sizeof binding, wrapped);
}

static void serve_wrapping(int channel, EVP_CIPHER_CTX *class_key) {
    static struct wrapping asked[YARDSTICK_BATCH];
    static uint8_t wrapped[YARDSTICK_BATCH][WRAPPED];
    for (;;) {
        ssize_t size = recv(channel, asked, sizeof asked, 0);
        if (size <= 0) exit(0);
        size_t count = size / sizeof *asked;
        for (size_t i = 0; i < count; i++) wrap(class_key, &asked[i], wrapped[i]);
        must(send(channel, wrapped, count * WRAPPED, 0) > 0, "the enclave's answer");
    }
}

static int start_enclave(EVP_CIPHER_CTX *class_key) {
    int ends[2];
    must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0, "a channel");
    pid_t child = fork();
    must(child >= 0, "a process");
    close(ends[child != 0]);
    if (child == 0) serve_wrapping(ends[1], class_key);
    return ends[0];
}

static void wrap_all(struct yardstick_writer *writer, struct addition *all, size_t count) {
    static struct wrapping asked[YARDSTICK_BATCH];
    static uint8_t wrapped[YARDSTICK_BATCH][WRAPPED];
    for (size_t i = 0; i < count; i++) asked[i] = all[i].key;
    must(send(writer->enclave, asked, count * sizeof *asked, 0) > 0, "asking the enclave");
    must(recv(writer->enclave, wrapped, sizeof wrapped, 0) == (ssize_t)(count * WRAPPED), "the enclave");
    for (size_t i = 0; i < count; i++) memcpy(all[i].wrapped, wrapped[i], WRAPPED);
}

// MARK: - A row

static uint8_t *append_entry(uint8_t *at, int attribute, int kind, const void *bytes, size_t size) {
    at = store32(store32(at, attribute | kind << 16), size);
    memcpy(at, bytes, size);
    return at + size;
}

static size_t write_list(struct yardstick_writer *writer, const struct request *request, uint8_t *list) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double date = now.tv_sec - REFERENCE_DATE + now.tv_nsec / 1e9;
    int64_t no = 0;
    uint8_t *at = append_entry(list, PROTECTION, 1, "ak", 2);
    at = append_entry(at, GROUP, 1, writer->store->group, strlen(writer->store->group));
    at = append_entry(at, SYNCHRONIZABLE, 3, &no, 8);
    at = append_entry(at, CREATED, 4, &date, 8);
    at = append_entry(at, MODIFIED, 4, &date, 8);
    at = append_entry(at, ACCOUNT, 1, request->account.bytes, request->account.size);
    at = append_entry(at, SERVICE, 1, request->service.bytes, request->service.size);
    return at - list;
}

/// Seals the attributes; `identity` is that of the row. Gives the size.
static size_t seal_metadata(
    struct yardstick_writer *writer, const struct request *request, const uint8_t *tamper, uint8_t *identity,
    uint8_t *meta) {
    uint8_t key[KEY], list[4096];
    must(RAND_bytes(key, KEY), "randomness");
    size_t size = write_list(writer, request, list);
    memcpy(list + size, tamper, TAG);
    meta[0] = 1;
    identity[IDENTITY - 1] = 1;
    seal_box(writer->store->metadata_key[UNLOCKED], NULL, key, KEY, identity, IDENTITY, meta + 1);
    identity[IDENTITY - 1] = 2;
    seal_box(writer->store->row_key, key, list, size + TAG, identity, IDENTITY, meta + 1 + WRAPPED);
    OPENSSL_cleanse(key, KEY);
    return 1 + WRAPPED + NONCE + size + TAG + TAG;
}

static size_t seal_value(
    struct yardstick_writer *writer, const struct addition *one, const uint8_t *tamper, uint8_t *identity,
    uint8_t *data) {
    static uint8_t plain[YARDSTICK_FRAME + 64];
    size_t size = one->request.value.size, padding = 31 - (size + 31) % 32;
    memcpy(plain, one->request.value.bytes, size);
    memset(plain + size, 0, padding);
    plain[size + padding] = padding;
    plain[size + padding + 1] = 1;
    memcpy(plain + size + padding + 2, tamper, TAG);
    data[0] = 1;
    identity[IDENTITY - 1] = 3;
    seal_box(writer->store->row_key, one->key.key, plain, size + padding + 2 + TAG, identity, IDENTITY, data + 1);
    OPENSSL_cleanse(plain, size);
    return 1 + NONCE + size + padding + 2 + TAG + TAG;
}

static void bind_row(sqlite3_stmt *insert, const struct column *columns, const uint8_t *code) {
    for (int i = 0; i < COLUMNS; i++) {
        switch (columns[i].kind) {
        case SQLITE_NULL: sqlite3_bind_null(insert, i + 1); break;
        case SQLITE_INTEGER: sqlite3_bind_int64(insert, i + 1, columns[i].number); break;
        default: sqlite3_bind_blob(insert, i + 1, columns[i].bytes, columns[i].size, SQLITE_STATIC);
        }
    }
    sqlite3_bind_blob(insert, COLUMNS + 1, code, DIGEST, SQLITE_STATIC);
}

static struct column blob(const uint8_t *bytes, size_t size) { return (struct column){SQLITE_BLOB, 0, bytes, size}; }
static struct column number(int64_t value) { return (struct column){SQLITE_INTEGER, value, NULL, 0}; }

static int insert_row(struct yardstick_writer *writer, const struct addition *one) {
    static uint8_t meta[4096], data[YARDSTICK_FRAME + 128];
    uint8_t key[DIGEST], account[DIGEST], service[DIGEST], code[DIGEST], tamper[TAG], identity[IDENTITY];
    digest_key(writer->store, one->request.account, one->request.service, key);
    digest_in_group(writer->store, ACCOUNT, one->request.account, account);
    digest_in_group(writer->store, SERVICE, one->request.service, service);
    must(RAND_bytes(tamper, TAG), "randomness");
    identify(identity, UNLOCKED, 0, 0, one->key.uuid, key);
    size_t meta_size = seal_metadata(writer, &one->request, tamper, identity, meta);
    size_t data_size = seal_value(writer, one, tamper, identity, data);
    struct column columns[COLUMNS] = {
        [ACCT] = blob(account, DIGEST), [AGRP] = blob(writer->store->group_digest, DIGEST),
        [DATA] = blob(data, data_size),
        [LABL] = {SQLITE_NULL, 0, NULL, 0}, [META] = blob(meta, meta_size), [OWNR] = blob(writer->owner, DIGEST),
        [PDMN] = number(UNLOCKED), [PK] = blob(key, DIGEST), [SVCE] = blob(service, DIGEST), [SYNC] = number(0),
        [TOMB] = number(0), [ITEM] = blob(one->key.uuid, UUID), [WKEY] = blob(one->wrapped, WRAPPED),
    };
    row_code(writer->store, columns, code);
    bind_row(writer->insert, columns, code);
    int result = sqlite3_step(writer->insert);
    sqlite3_reset(writer->insert);
    if (result == SQLITE_DONE) return SUCCESS;
    return sqlite3_extended_errcode(writer->store->database) == SQLITE_CONSTRAINT_UNIQUE ? DUPLICATE : -1;
}

// MARK: - A batch

static void run(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    must(result == SQLITE_DONE || result == SQLITE_ROW, "a statement");
}

static void add_all(struct yardstick_writer *writer, struct addition *all, size_t count) {
    wrap_all(writer, all, count);
    run(writer->begin);
    for (size_t i = 0; i < count; i++) {
        all[i].status = insert_row(writer, &all[i]);
        must(all[i].status != -1, "adding");
    }
    run(writer->count);
    run(writer->commit);
}

void yardstick_add_batch(
    struct yardstick_writer *writer, const uint8_t *const *frames, const size_t *sizes, size_t count,
    uint8_t (*answers)[YARDSTICK_ADDED]) {
    static struct addition all[YARDSTICK_BATCH];
    static size_t places[YARDSTICK_BATCH];
    size_t valid = 0;
    for (size_t i = 0; i < count; i++) {
        struct addition one = {.status = PARAM};
        places[i] = YARDSTICK_BATCH;
        if (!parse_request(frames[i], sizes[i], 1, &one.request) || !one.request.value.bytes) continue;
        must(RAND_bytes((uint8_t *)&one.key, sizeof one.key), "randomness");
        all[places[i] = valid++] = one;
    }
    if (valid) add_all(writer, all, valid);
    for (size_t i = 0; i < count; i++) {
        int status = places[i] < YARDSTICK_BATCH ? all[places[i]].status : PARAM;
        // Notice, cursor, no items.
        memset(answers[i], 0, YARDSTICK_ADDED);
        finish_answer(answers[i], frames[i], answers[i] + YARDSTICK_ADDED, status);
    }
    OPENSSL_cleanse(all, sizeof *all * valid);
}

void yardstick_tidy_up(struct yardstick_writer *writer) {
    if (writer->log < LONG_LOG) return;
    int checkpoint = sqlite3_wal_checkpoint_v2(writer->store->database, NULL, SQLITE_CHECKPOINT_FULL, NULL, NULL);
    must(checkpoint == SQLITE_OK, "a checkpoint");
    writer->log = 0;
}

static int note_log(void *writer, sqlite3 *database, const char *name, int pages) {
    (void)database, (void)name;
    ((struct yardstick_writer *)writer)->log = pages;
    return SQLITE_OK;
}

static void take_owner(struct yardstick_writer *writer) {
    sqlite3_stmt *any = prepare(writer->store->database, "SELECT ownr FROM genp LIMIT 1");
    must(sqlite3_step(any) == SQLITE_ROW && sqlite3_column_bytes(any, 0) == DIGEST, "finding an owner");
    memcpy(writer->owner, sqlite3_column_blob(any, 0), DIGEST);
    sqlite3_finalize(any);
}

struct yardstick_writer *yardstick_writer(struct yardstick_store *store) {
    struct yardstick_writer *writer = calloc(1, sizeof *writer);
    must(writer != NULL, "calloc");
    writer->store = store;
    writer->enclave = start_enclave(store->class_key[UNLOCKED]);
    sqlite3 *database = store->database;
    // As the product's writer has it; the log is moved by hand.
    sqlite3_exec(database, "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0", NULL, NULL, NULL);
    sqlite3_wal_hook(database, note_log, writer);
    writer->begin = prepare(database, "BEGIN IMMEDIATE");
    writer->insert = prepare(
        database,
        "INSERT INTO genp (" COLUMN_LIST ", code) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)");
    writer->count = prepare(database, "UPDATE mark SET writes = writes + 1");
    writer->commit = prepare(database, "COMMIT");
    take_owner(writer);
    return writer;
}
