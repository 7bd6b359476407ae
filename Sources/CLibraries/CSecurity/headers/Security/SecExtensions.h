// What is here and not in Apple's API.
#ifndef SECURITY_SECEXTENSIONS_H
#define SECURITY_SECEXTENSIONS_H

#include <Security/SecBase.h>
#include <Security/SecKeyAlgorithms.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Why the last call on this thread was refused, in words; NULL when there is nothing to say. The description says what is wrong
// and what to do; the user info has the rule under "SecItemErrorRule". It never holds a value of an item.
CFErrorRef SEC_NULLABLE SecCopyLastItemError(void) SEC_RETAINED;

extern const CFStringRef kSecAttrKeyTypeEd25519;  // Ed25519 signatures (RFC 8032). In Apple's headers a private name
extern const CFStringRef kSecAttrKeyTypeX25519;  // X25519 key agreement (RFC 7748). In Apple's headers a private name
// What a token calls a key it holds: data that means something to that token alone. Only among a key's attributes
extern const CFStringRef kSecAttrTokenOID;
// The key of whether SecItemAdd changes the item that is already there under the same primary key, as SecItemUpdate
// would, in one step that no other program can come between. Not in Apple's API
extern const CFStringRef kSecUseUpdateExisting;

// Ed25519 over a message (RFC 8032). In Apple's headers a private name.
extern const SecKeyAlgorithm kSecKeyAlgorithmEdDSASignatureMessageCurve25519SHA512;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
