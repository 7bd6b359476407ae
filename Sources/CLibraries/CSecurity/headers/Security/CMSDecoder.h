// Reading cryptographic messages (RFC 5652): opening them with the identities of the keychain, and verifying their
// signatures.
#ifndef SECURITY_CMSDECODER_H
#define SECURITY_CMSDECODER_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct _CMSDecoder *CMSDecoderRef;

typedef CF_ENUM(uint32_t, CMSSignerStatus) {
    kCMSSignerUnsigned = 0,
    kCMSSignerValid,
    kCMSSignerNeedsDetachedContent,
    kCMSSignerInvalidSignature,
    kCMSSignerInvalidCert,
    kCMSSignerInvalidIndex,
};

CFTypeID CMSDecoderGetTypeID(void);

// A decoder, which reads one message: its bytes in any number of parts, then all the rest.
OSStatus CMSDecoderCreate(CMSDecoderRef SEC_NULLABLE *SEC_RETAINED cmsDecoderOut);
OSStatus CMSDecoderUpdateMessage(CMSDecoderRef cmsDecoder, const void *msgBytes, size_t msgBytesLen);
OSStatus CMSDecoderFinalizeMessage(CMSDecoderRef cmsDecoder);
OSStatus CMSDecoderSetDetachedContent(CMSDecoderRef cmsDecoder, CFDataRef detachedContent);
OSStatus CMSDecoderCopyDetachedContent(
    CMSDecoderRef cmsDecoder, CFDataRef SEC_NULLABLE *SEC_RETAINED detachedContentOut);

// The verdict on a signature. Without evaluateSecTrust, that it holds says nothing of who has signed.
OSStatus CMSDecoderGetNumSigners(CMSDecoderRef cmsDecoder, size_t *numSignersOut);
OSStatus CMSDecoderCopySignerStatus(
    CMSDecoderRef cmsDecoder, size_t signerIndex, CFTypeRef policyOrArray, Boolean evaluateSecTrust,
    CMSSignerStatus *SEC_NULLABLE signerStatusOut, SecTrustRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED secTrustOut,
    OSStatus *SEC_NULLABLE certVerifyResultCodeOut);
OSStatus CMSDecoderCopySignerEmailAddress(
    CMSDecoderRef cmsDecoder, size_t signerIndex, CFStringRef SEC_NULLABLE *SEC_RETAINED signerEmailAddressOut);
OSStatus CMSDecoderCopySignerCert(
    CMSDecoderRef cmsDecoder, size_t signerIndex, SecCertificateRef SEC_NULLABLE *SEC_RETAINED signerCertOut);
OSStatus CMSDecoderCopySignerSigningTime(CMSDecoderRef cmsDecoder, size_t signerIndex, CFAbsoluteTime *signingTime);

OSStatus CMSDecoderIsContentEncrypted(CMSDecoderRef cmsDecoder, Boolean *isEncryptedOut);
OSStatus CMSDecoderCopyEncapsulatedContentType(
    CMSDecoderRef cmsDecoder, CFDataRef SEC_NULLABLE *SEC_RETAINED eContentTypeOut);
OSStatus CMSDecoderCopyContent(CMSDecoderRef cmsDecoder, CFDataRef SEC_NULLABLE *SEC_RETAINED contentOut);
OSStatus CMSDecoderCopyAllCerts(CMSDecoderRef cmsDecoder, CFArrayRef SEC_NULLABLE *SEC_RETAINED certsOut);

// Not implemented: errSecUnimplemented.
OSStatus CMSDecoderCopySignerTimestamp(CMSDecoderRef cmsDecoder, size_t signerIndex, CFAbsoluteTime *timestamp);
OSStatus CMSDecoderCopySignerTimestampWithPolicy(
    CMSDecoderRef cmsDecoder, CFTypeRef SEC_NULLABLE timeStampPolicy, size_t signerIndex, CFAbsoluteTime *timestamp);
OSStatus CMSDecoderCopySignerTimestampCertificates(
    CMSDecoderRef cmsDecoder, size_t signerIndex, CFArrayRef SEC_NULLABLE *SEC_RETAINED certificateRefs);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
