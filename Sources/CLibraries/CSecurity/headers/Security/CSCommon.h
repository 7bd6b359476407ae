// Types that the functions on signed code share.
#ifndef SECURITY_CSCOMMON_H
#define SECURITY_CSCOMMON_H

#include <Security/SecBase.h>
#include <Security/Errors/CodeSigningErrors.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Running code.
typedef struct __SecCode *SecCodeRef;
// Code on disk. Functions that take it take running code too, and mean its executable.
typedef struct __SecCode const *SecStaticCodeRef;
// A requirement that code can meet or not; there are none here.
typedef struct __SecRequirement *SecRequirementRef;

// How code is looked at. Everything that is signed is always verified, so that these change nothing.
typedef CF_OPTIONS(uint32_t, SecCSFlags) {
    kSecCSDefaultFlags = 0,
    kSecCSNoNetworkAccess = 1u << 29,
    kSecCSEnforceRevocationChecks = 1u << 30,
    kSecCSConsiderExpiration = 1u << 31,
};

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
