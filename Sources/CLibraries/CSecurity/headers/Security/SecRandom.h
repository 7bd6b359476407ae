// Random bytes from the kernel.
#ifndef SECURITY_SECRANDOM_H
#define SECURITY_SECRANDOM_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef const struct __SecRandom *SecRandomRef;

// The only source there is: NULL.
extern const SecRandomRef SEC_NULLABLE kSecRandomDefault;

// Fills memory with random bytes: errSecSuccess, or errSecParam.
int SecRandomCopyBytes(SecRandomRef SEC_NULLABLE rnd, size_t count, void *bytes) SEC_WARN_UNUSED_RESULT;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
