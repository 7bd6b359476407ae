#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

// MARK: - A log written in one piece

// A write-ahead log that takes each commit in one piece.
//
// SQLite writes every frame of a commit by two calls, 24 bytes and a page, and then has the log made durable: a dozen system
// calls for the smallest change. Here they are gathered in memory until SQLite asks for more than to write the next bytes, which
// for a commit is the request to make it durable. Nothing is read, and no commit announced to other connections, before that:
// SQLite does so after the log is on disk, for all connections whose `synchronous` is FULL. No others may use it.

/// SQLite's own ways to files, "unix" and "unix-excl", with gathered logs.
#define CSQLITE_SHARED "unix, gathered"
#define CSQLITE_EXCLUSIVE "unix-excl, gathered"

/// Makes both known to SQLite; to be called once in a process. An SQLite result code.
int csqlite_offer_gathered_logs(void);

// MARK: - A log that is moved in parts

/// Has what was moved into the database so far written to the disk. SQLite does so when it has moved all of a log. An SQLite
/// result code.
int csqlite_make_durable(struct sqlite3 *connection);

// MARK: - A log that several processes write

// SQLite keeps an index of the log in memory that all processes share. It begins with a head that every commit changes
// before it is acknowledged, whoever makes it: https://www.sqlite.org/walformat.html, section 2.1.

/// What the head said at some moment.
struct csqlite_head {
    uint64_t words[6];
};

/// The head in the memory of a connection that has read in the log, which keeps it for as long as it is open; null when there
/// is none, or one of another version of SQLite's.
const volatile uint64_t *csqlite_shared_head(struct sqlite3 *connection);

/// Whether the head says what it said then: nothing has been committed since. One that is being changed says something else.
static inline bool csqlite_head_is(const volatile uint64_t *shared, struct csqlite_head then) {
    uint64_t changed = 0;
    for (int word = 0; word < 6; word++) changed |= shared[word] ^ then.words[word];
    return !changed;
}

/// What the head says now. What is read from the store afterwards is of that commit or of a later one.
static inline struct csqlite_head csqlite_head(const volatile uint64_t *shared) {
    struct csqlite_head head;
    for (int word = 0; word < 6; word++) head.words[word] = shared[word];
    atomic_thread_fence(memory_order_seq_cst);
    return head;
}

/// Whether the log has so few frames that nobody wants to move it into the database, or has been moved as a whole: a reader
/// that stays keeps neither from being done.
bool csqlite_log_is_at_rest(const volatile uint64_t *shared, uint32_t few);
