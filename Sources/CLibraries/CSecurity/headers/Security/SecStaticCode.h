// Code on disk.
#ifndef SECURITY_SECSTATICCODE_H
#define SECURITY_SECSTATICCODE_H

#include <Security/CSCommon.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

CFTypeID SecStaticCodeGetTypeID(void);

// Reads an executable and verifies its signature.
OSStatus SecStaticCodeCreateWithPath(
    CFURLRef path, SecCSFlags flags, SecStaticCodeRef SEC_NULLABLE *SEC_RETAINED staticCode);
// Whether it is what was signed. Requirements are not understood: errSecCSUnimplemented.
OSStatus SecStaticCodeCheckValidity(
    SecStaticCodeRef staticCode, SecCSFlags flags, SecRequirementRef SEC_NULLABLE requirement);

// How code on disk is found:
extern const CFStringRef kSecCodeAttributeArchitecture;  // The key of the architecture to look at
extern const CFStringRef kSecCodeAttributeSubarchitecture;  // The key of the subarchitecture to look at
extern const CFStringRef kSecCodeAttributeUniversalFileOffset;  // The key of the offset of the code in a universal file
extern const CFStringRef kSecCodeAttributeBundleVersion;  // The key of the version of a bundle to look at

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
