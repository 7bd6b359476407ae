#pragma once

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
