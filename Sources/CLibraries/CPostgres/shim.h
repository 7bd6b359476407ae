#pragma once
// Debian keeps it in a folder, where others have it in the usual place.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif
