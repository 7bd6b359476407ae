// Identities: certificates with their private keys.
#ifndef SECURITY_SECIDENTITY_H
#define SECURITY_SECIDENTITY_H

#include <Security/SecBase.h>
#include <Security/Constants/SecIdentityConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

CFTypeID SecIdentityGetTypeID(void);

// Finds the private key of a certificate in the keychain; the first argument is NULL.
OSStatus SecIdentityCreateWithCertificate(
    CFTypeRef SEC_NULLABLE keychainOrArray, SecCertificateRef certificateRef,
    SecIdentityRef SEC_NULLABLE *SEC_RETAINED identityRef);

// Joins a certificate and its private key; NULL when they do not belong together.
SecIdentityRef SEC_NULLABLE SecIdentityCreate(
    CFAllocatorRef SEC_NULLABLE allocator, SecCertificateRef certificate, SecKeyRef privateKey) SEC_RETAINED;

OSStatus SecIdentityCopyCertificate(
    SecIdentityRef identityRef, SecCertificateRef SEC_NULLABLE *SEC_RETAINED certificateRef);
OSStatus SecIdentityCopyPrivateKey(SecIdentityRef identityRef, SecKeyRef SEC_NULLABLE *SEC_RETAINED privateKeyRef);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
