// Functions and constants that are not in Apple's API.
#ifndef SECURITY_SECEXTENSIONS_H
#define SECURITY_SECEXTENSIONS_H

#include <Security/SecBase.h>
#include <Security/SecKeyAlgorithms.h>
#include <Security/Constants/SecExtensionsConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// The reason for which the last call on this thread was refused, as text; NULL when there is none. The description
// says what is wrong and what to do; the user info has the rule under "SecItemErrorRule". It never holds a value of an
// item.
CFErrorRef SEC_NULLABLE SecCopyLastItemError(void) SEC_RETAINED;

// Ed25519 over a message (RFC 8032). In Apple's headers a private name.
extern const SecKeyAlgorithm kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
