// Requirements of code, which are not understood here: errSecCSUnimplemented.
#ifndef SECURITY_SECREQUIREMENT_H
#define SECURITY_SECREQUIREMENT_H

#include <Security/CSCommon.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

CFTypeID SecRequirementGetTypeID(void);

OSStatus SecRequirementCreateWithData(
    CFDataRef data, SecCSFlags flags, SecRequirementRef SEC_NULLABLE *SEC_RETAINED requirement);
OSStatus SecRequirementCreateWithString(
    CFStringRef text, SecCSFlags flags, SecRequirementRef SEC_NULLABLE *SEC_RETAINED requirement);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
