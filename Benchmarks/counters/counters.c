#include "counters.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint_fast64_t allocations, statements, rows;

// glibc takes the functions of this name from the program, and keeps its own under these.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    allocations++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    allocations++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}

uint64_t counters_allocations(void) { return allocations; }

static int count(unsigned kind, void *context, void *statement, void *text) {
    (void)context, (void)statement, (void)text;
    if (kind == SQLITE_TRACE_ROW) rows++;
    else statements++;
    return 0;
}

static int watch(sqlite3 *database, char **problem, const void *functions) {
    (void)problem, (void)functions;
    return sqlite3_trace_v2(database, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW, count, NULL);
}

void counters_watch_statements(void) { sqlite3_auto_extension((void (*)(void))watch); }

uint64_t counters_statements(void) { return statements; }

uint64_t counters_rows(void) { return rows; }
