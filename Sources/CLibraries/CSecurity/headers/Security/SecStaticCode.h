// Code on disk.
#ifndef SECURITY_SECSTATICCODE_H
#define SECURITY_SECSTATICCODE_H

#include <Security/CSCommon.h>
#include <Security/Constants/SecStaticCodeConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

CFTypeID SecStaticCodeGetTypeID(void);

// Reads an executable and verifies its signature.
OSStatus SecStaticCodeCreateWithPath(
    CFURLRef path, SecCSFlags flags, SecStaticCodeRef SEC_NULLABLE *SEC_RETAINED staticCode);
// Whether it is what was signed. Requirements are not understood: errSecCSUnimplemented.
OSStatus SecStaticCodeCheckValidity(
    SecStaticCodeRef staticCode, SecCSFlags flags, SecRequirementRef SEC_NULLABLE requirement);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
