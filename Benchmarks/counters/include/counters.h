// Counts what a process does: for programs whose only purpose is counting, since it takes over malloc.
#pragma once

#include <stdint.h>

/// How often memory has been allocated or enlarged in this process.
uint64_t counters_allocations(void);

/// Counts the statements of all SQLite connections that are opened from now on.
void counters_watch_statements(void);

/// How many statements they have begun to run.
uint64_t counters_statements(void);

/// How many rows these have given.
uint64_t counters_rows(void);
