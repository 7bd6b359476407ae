// Running code: this process.
#ifndef SECURITY_SECCODE_H
#define SECURITY_SECCODE_H

#include <Security/CSCommon.h>
#include <Security/Constants/SecCodeConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Flags of SecCodeCopySigningInformation, whose answer has all there is without them.
CF_ENUM(uint32_t) {
    kSecCSSigningInformation = 1u << 1,
    kSecCSRequirementInformation = 1u << 2,
};

CFTypeID SecCodeGetTypeID(void);

// The code of this process.
OSStatus SecCodeCopySelf(SecCSFlags flags, SecCodeRef SEC_NULLABLE *SEC_RETAINED self);
// The executable of running code.
OSStatus SecCodeCopyStaticCode(
    SecCodeRef code, SecCSFlags flags, SecStaticCodeRef SEC_NULLABLE *SEC_RETAINED staticCode);
// Whether it is what was signed. Requirements are not understood: errSecCSUnimplemented.
OSStatus SecCodeCheckValidity(SecCodeRef code, SecCSFlags flags, SecRequirementRef SEC_NULLABLE requirement);
// Where it lies.
OSStatus SecCodeCopyPath(
    SecStaticCodeRef staticCode, SecCSFlags flags, CFURLRef SEC_NULLABLE *SEC_RETAINED path);
// The contents of its signature.
OSStatus SecCodeCopySigningInformation(
    SecStaticCodeRef code, SecCSFlags flags, CFDictionaryRef SEC_NULLABLE *SEC_RETAINED information);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
