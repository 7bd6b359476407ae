#pragma once
#include <stddef.h>

/// Maps `size` bytes of private memory that a core dump leaves out and a fork finds zeroed; locks it in RAM where the limit
/// allows. NULL when there is no memory. `*locked` says whether the lock was granted.
void *clinux_map_secret(size_t size, int *locked);

/// Overwrites memory in a way the compiler may not leave out.
void clinux_wipe(void *start, size_t size);
