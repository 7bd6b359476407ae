// This process and its entitlements.
#ifndef SECURITY_SECTASK_H
#define SECURITY_SECTASK_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct __SecTask *SecTaskRef;

// Eight words by which the kernel of Apple systems names the sender of a message.
typedef struct {
    unsigned int val[8];
} audit_token_t;

CFTypeID SecTaskGetTypeID(void);

// This process; NULL when its executable cannot be read, or its signature does not hold.
SecTaskRef SEC_NULLABLE SecTaskCreateFromSelf(CFAllocatorRef SEC_NULLABLE allocator) SEC_RETAINED;

// Another process, by what the kernel of Apple systems says of it. Linux has no such tokens: NULL.
SecTaskRef SEC_NULLABLE SecTaskCreateWithAuditToken(
    CFAllocatorRef SEC_NULLABLE allocator, audit_token_t token) SEC_RETAINED;

// The word of that kernel on its code: 1 for a signature that holds, 0 where there is none.
uint32_t SecTaskGetCodeSignStatus(SecTaskRef task);

// An entitlement; NULL when there is none of that name.
CFTypeRef SEC_NULLABLE SecTaskCopyValueForEntitlement(
    SecTaskRef task, CFStringRef entitlement, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
CFDictionaryRef SEC_NULLABLE SecTaskCopyValuesForEntitlements(
    SecTaskRef task, CFArrayRef entitlements, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// The signer's name for the program.
CFStringRef SEC_NULLABLE SecTaskCopySigningIdentifier(
    SecTaskRef task, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
