// This process and its entitlements.
#ifndef SECURITY_SECTASK_H
#define SECURITY_SECTASK_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct __SecTask *SecTaskRef;

CFTypeID SecTaskGetTypeID(void);

// This process; NULL when its executable cannot be read, or its signature does not hold.
SecTaskRef SEC_NULLABLE SecTaskCreateFromSelf(CFAllocatorRef SEC_NULLABLE allocator) SEC_RETAINED;

// An entitlement; NULL when there is none of that name.
CFTypeRef SEC_NULLABLE SecTaskCopyValueForEntitlement(
    SecTaskRef task, CFStringRef entitlement, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
CFDictionaryRef SEC_NULLABLE SecTaskCopyValuesForEntitlements(
    SecTaskRef task, CFArrayRef entitlements, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// What the signer called the program.
CFStringRef SEC_NULLABLE SecTaskCopySigningIdentifier(
    SecTaskRef task, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
