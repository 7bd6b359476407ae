// Trust policies: what a certificate is to be good for.
#ifndef SECURITY_SECPOLICY_H
#define SECURITY_SECPOLICY_H

#include <Security/SecBase.h>
#include <Security/Constants/SecPolicyConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Flags of SecPolicyCreateRevocation.
CF_ENUM(CFOptionFlags) {
    kSecRevocationOCSPMethod = 1ul << 0,
    kSecRevocationCRLMethod = 1ul << 1,
    kSecRevocationPreferCRL = 1ul << 2,
    kSecRevocationRequirePositiveResponse = 1ul << 3,
    kSecRevocationNetworkAccessDisabled = 1ul << 4,
    kSecRevocationUseAnyAvailableMethod = kSecRevocationOCSPMethod | kSecRevocationCRLMethod,
};

CFTypeID SecPolicyGetTypeID(void);

// Basic X.509 validation.
SecPolicyRef SecPolicyCreateBasicX509(void) SEC_RETAINED;
// TLS, of a server that has this name, or of a client.
SecPolicyRef SecPolicyCreateSSL(Boolean server, CFStringRef SEC_NULLABLE hostname) SEC_RETAINED;
SecPolicyRef SEC_NULLABLE SecPolicyCreateRevocation(CFOptionFlags revocationFlags) SEC_RETAINED;
// One of the kSecPolicyApple policies, with what a certificate must have besides.
SecPolicyRef SEC_NULLABLE SecPolicyCreateWithProperties(
    CFTypeRef policyIdentifier, CFDictionaryRef SEC_NULLABLE properties) SEC_RETAINED;
CFDictionaryRef SEC_NULLABLE SecPolicyCopyProperties(SecPolicyRef policyRef) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
