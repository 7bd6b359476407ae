// Certificates: reading them.
#ifndef SECURITY_SECCERTIFICATE_H
#define SECURITY_SECCERTIFICATE_H

#include <Security/SecBase.h>
#include <Security/Constants/SecCertificateConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Purposes that the key of a certificate may serve.
typedef CF_OPTIONS(uint32_t, SecKeyUsage) {
    kSecKeyUsageUnspecified = 0u,
    kSecKeyUsageDigitalSignature = 1u << 0,
    kSecKeyUsageNonRepudiation = 1u << 1,
    kSecKeyUsageContentCommitment = 1u << 1,
    kSecKeyUsageKeyEncipherment = 1u << 2,
    kSecKeyUsageDataEncipherment = 1u << 3,
    kSecKeyUsageKeyAgreement = 1u << 4,
    kSecKeyUsageKeyCertSign = 1u << 5,
    kSecKeyUsageCRLSign = 1u << 6,
    kSecKeyUsageEncipherOnly = 1u << 7,
    kSecKeyUsageDecipherOnly = 1u << 8,
    kSecKeyUsageCritical = 1u << 31,
    kSecKeyUsageAll = 0x7FFFFFFFu,
};

CFTypeID SecCertificateGetTypeID(void);

// Reads a certificate: DER, exactly one. NULL when the data is none.
SecCertificateRef SEC_NULLABLE SecCertificateCreateWithData(
    CFAllocatorRef SEC_NULLABLE allocator, CFDataRef data) SEC_RETAINED;

// The certificate's DER.
CFDataRef SecCertificateCopyData(SecCertificateRef certificate) SEC_RETAINED;

// The name of the subject for display.
CFStringRef SEC_NULLABLE SecCertificateCopySubjectSummary(SecCertificateRef certificate) SEC_RETAINED;
CFStringRef SEC_NULLABLE SecCertificateCopyShortDescription(
    CFAllocatorRef SEC_NULLABLE alloc, SecCertificateRef certificate,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
OSStatus SecCertificateCopyCommonName(
    SecCertificateRef certificate, CFStringRef SEC_NULLABLE *SEC_RETAINED commonName);
OSStatus SecCertificateCopyEmailAddresses(
    SecCertificateRef certificate, CFArrayRef SEC_NULLABLE *SEC_RETAINED emailAddresses);

// The public key.
SecKeyRef SEC_NULLABLE SecCertificateCopyKey(SecCertificateRef certificate) SEC_RETAINED;
// The public key, as macOS had it before 10.14.
OSStatus SecCertificateCopyPublicKey(SecCertificateRef certificate, SecKeyRef SEC_NULLABLE *SEC_RETAINED key);

// The serial number; under its newer and its older name.
CFDataRef SEC_NULLABLE SecCertificateCopySerialNumberData(
    SecCertificateRef certificate, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
CFDataRef SEC_NULLABLE SecCertificateCopySerialNumber(
    SecCertificateRef certificate, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Names in the form in which they are compared: a DER sequence.
CFDataRef SEC_NULLABLE SecCertificateCopyNormalizedIssuerSequence(SecCertificateRef certificate) SEC_RETAINED;
CFDataRef SEC_NULLABLE SecCertificateCopyNormalizedSubjectSequence(SecCertificateRef certificate) SEC_RETAINED;
CFDataRef SEC_NULLABLE SecCertificateCopyNormalizedIssuerContent(
    SecCertificateRef certificate, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
CFDataRef SEC_NULLABLE SecCertificateCopyNormalizedSubjectContent(
    SecCertificateRef certificate, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

CFDateRef SEC_NULLABLE SecCertificateCopyNotValidBeforeDate(SecCertificateRef certificate) SEC_RETAINED;
CFDateRef SEC_NULLABLE SecCertificateCopyNotValidAfterDate(SecCertificateRef certificate) SEC_RETAINED;

// Not implemented: errSecUnimplemented.
CFStringRef SEC_NULLABLE SecCertificateCopyLongDescription(
    CFAllocatorRef SEC_NULLABLE alloc, SecCertificateRef certificate,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;
CFDictionaryRef SEC_NULLABLE SecCertificateCopyValues(
    SecCertificateRef certificate, CFArrayRef SEC_NULLABLE keys,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
