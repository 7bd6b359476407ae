// The source of random bytes: the header says SecRandomRef.
#include <stddef.h>

extern const void *const kSecRandomDefault;
const void *const kSecRandomDefault = NULL;
