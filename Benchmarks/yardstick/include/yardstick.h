// The yardstick: what the keychain's hot path costs in C.
//
// The same protocol (docs/formats/protocol.md), over the same store (docs/formats/store.md), doing the same work.
//
// A lookup: the request is parsed, its attributes are digested, the row is found by index, its code is checked.
// Attributes and value are opened and compared with each other and with the query, and the answer is written.
// An add: the key is wrapped in another process, attributes and value are sealed, the row is inserted with digests and
// code. All adds of the same moment share one transaction, which is on the disk before the answers.
// Where the product does more (policy, explanations, hostile input), the comparison shows that.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { YARDSTICK_FRAME = 64 << 10 };

/// A prime: items are looked up in steps of it, so that neighbours in time are none in the store.
enum { YARDSTICK_STRIDE = 7919 };

// MARK: - The store

/// An open store with its keys; belongs to one thread.
struct yardstick_store;

/// Opens the store in a folder whose vault has no passcode. Ends the program when that does not work. `group` is the
/// access group whose items are looked up. `vfs` is SQLite's: "unix-excl" as a daemon, "unix" as an embedded program.
/// `mapped` is how many bytes of the file may be mapped.
struct yardstick_store *yardstick_open(const char *folder, const char *group, const char *vfs, size_t mapped);
void yardstick_close(struct yardstick_store *store);

/// Answers a lookup: `frame` has a whole request, `answer` room for YARDSTICK_FRAME bytes. Gives the answer's size.
size_t yardstick_handle(struct yardstick_store *store, const uint8_t *frame, size_t size, uint8_t *answer);

// MARK: - Adding

/// Adds for one store; belongs to one thread. The store's group and first owner are those of what is added.
struct yardstick_writer;

enum { YARDSTICK_BATCH = 256, YARDSTICK_ADDED = 16 + 4 + 8 + 4 };

/// Starts a process that wraps row keys, and prepares the rest. Ends the program when that does not work.
struct yardstick_writer *yardstick_writer(struct yardstick_store *store);

/// Adds the items that several clients have asked for in one transaction, and writes their answers. At most
/// YARDSTICK_BATCH at once.
void yardstick_add_batch(
    struct yardstick_writer *writer, const uint8_t *const *frames, const size_t *sizes, size_t count,
    uint8_t (*answers)[YARDSTICK_ADDED]);

/// Moves a long log into the database: to be called after the answers were sent.
void yardstick_tidy_up(struct yardstick_writer *writer);

// MARK: - Point reads

/// One read of a row by the digest of its primary key and the decryptions of its parts, and nothing else: the row with
/// this number in the order of the store, 0 the first. Gives the value's size, -1 if there is none.
int yardstick_point_read(struct yardstick_store *store, size_t number);

// MARK: - The client

/// Writes the frame that asks for the value of a generic password and gives its size.
size_t yardstick_request(uint8_t *frame, const char *service, const char *account);

/// The smallest answer with a value of `size` bytes, as an echo gives it.
size_t yardstick_answer_size(size_t value);

int yardstick_connect(const char *path);

/// Asks for the value of a generic password and copies it out of the answer, to be freed. Gives its size, -1 if there
/// is none.
int yardstick_look_up(int socket, const char *service, const char *account, uint8_t **value);

/// Adds a generic password; gives the status of the answer, -1 when there is none.
int yardstick_add(int socket, const char *service, const char *account, const uint8_t *value, size_t size);

// MARK: - Processors

/// Keeps the calling thread, and the programs it starts from now on, to one processor, where each runs until it waits
/// (SCHED_BATCH); 0, or -1 with errno.
int yardstick_use_one_processor(void);

/// Ends that for the thread; programs that were started meanwhile stay as they are.
int yardstick_use_all_processors(void);

// MARK: - Keys

/// A key of OpenSSL's and what it is used with, all of it prepared, as `openssl speed` does; belongs to one thread.
struct yardstick_key;

/// Makes a key: "EC" on the curve P-256 or "RSA" of 2048 bits.
struct yardstick_key *yardstick_key_make(const char *type);
void yardstick_key_free(struct yardstick_key *key);

/// Each gives 1 when it works: signs a digest of 32 bytes, verifies that signature, agrees on a secret with a peer.
int yardstick_key_sign(struct yardstick_key *key);
int yardstick_key_verify(struct yardstick_key *key);
int yardstick_key_agree(struct yardstick_key *key);

// MARK: - A TPM

/// A TPM with a key on P-256 that stays loaded, and the session it is used through; belongs to one thread.
struct yardstick_tpm;

/// Connects as tpm2-tss has it ("swtpm:path=…") and makes session and key. Ends the program when that does not work.
struct yardstick_tpm *yardstick_tpm_open(const char *address);
void yardstick_tpm_close(struct yardstick_tpm *tpm);

/// Gives 1 when it works: signs a digest of 32 bytes.
int yardstick_tpm_sign(struct yardstick_tpm *tpm);
