// Types that all headers share, statuses, and their texts.
#ifndef SECURITY_SECBASE_H
#define SECURITY_SECBASE_H

// Core Foundation wants to be told of every processor but x86 (gcc has no such macro).
#if !defined(__LITTLE_ENDIAN__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define __LITTLE_ENDIAN__ 1
#endif

#include <CoreFoundation/CFArray.h>
#include <CoreFoundation/CFBase.h>
#include <CoreFoundation/CFData.h>
#include <CoreFoundation/CFDate.h>
#include <CoreFoundation/CFDictionary.h>
#include <CoreFoundation/CFError.h>
#include <CoreFoundation/CFNumber.h>
#include <CoreFoundation/CFString.h>
#include <CoreFoundation/CFURL.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SEC_EXTERN_C_BEGIN extern "C" {
#define SEC_EXTERN_C_END }
#else
#define SEC_EXTERN_C_BEGIN
#define SEC_EXTERN_C_END
#endif

// Pointers are never NULL unless they are marked. Given NULL all the same, functions return errSecParam or nothing.
// Between both macros, -Wpedantic is off. It warns of three things that all compilers have: marks for NULL, types of
// enumerations, and their values beyond INT_MAX.
#ifdef __clang__
#define SEC_ASSUME_NONNULL_BEGIN \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpedantic\"")                                \
        _Pragma("clang assume_nonnull begin")
#define SEC_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end") _Pragma("clang diagnostic pop")
#define SEC_NULLABLE _Nullable
#define SEC_RETAINED __attribute__((cf_returns_retained))
#define SEC_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#else
#define SEC_ASSUME_NONNULL_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define SEC_ASSUME_NONNULL_END _Pragma("GCC diagnostic pop")
#define SEC_NULLABLE
#define SEC_RETAINED
#define SEC_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#endif

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// References are Core Foundation objects: CFRetain, CFRelease, CFGetTypeID, CFEqual, CFHash and CFCopyDescription
// work on them. All of them may be used from any thread.

// A certificate (X.509).
typedef struct __SecCertificate *SecCertificateRef;
// A certificate with its private key.
typedef struct __SecIdentity *SecIdentityRef;
// A key, or a handle to one that does not leave the keychain.
typedef struct __SecKey *SecKeyRef;
// A trust policy: the purpose a certificate must serve.
typedef struct __SecPolicy *SecPolicyRef;
// The conditions under which an item can be opened.
typedef struct __SecAccessControl *SecAccessControlRef;
// The evaluation of a certificate.
typedef struct __SecTrust *SecTrustRef;

// A keychain with a name.
typedef struct __SecKeychain *SecKeychainRef;

// Objects of the macOS file keychain, which is not here: no function returns one.
typedef struct __SecKeychainItem *SecKeychainItemRef;
typedef struct __SecAccess *SecAccessRef;

// Returns the text of a status; the caller releases it. The second argument is NULL.
CFStringRef SEC_NULLABLE SecCopyErrorMessageString(OSStatus status, void *SEC_NULLABLE reserved) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#include <Security/Errors/KeychainErrors.h>
#include <Security/Errors/ModuleErrors.h>
#include <Security/Errors/ContextErrors.h>
#include <Security/Errors/CertificateErrors.h>
#include <Security/Errors/OperationErrors.h>
#include <Security/Errors/TimestampErrors.h>
#include <Security/Errors/TransportErrors.h>

#endif
