// Reading cryptographic messages, which is not implemented: errSecUnimplemented.
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

OSStatus CMSDecoderCreate(CMSDecoderRef SEC_NULLABLE *SEC_RETAINED cmsDecoderOut);
OSStatus CMSDecoderUpdateMessage(CMSDecoderRef cmsDecoder, const void *msgBytes, size_t msgBytesLen);
OSStatus CMSDecoderFinalizeMessage(CMSDecoderRef cmsDecoder);
OSStatus CMSDecoderSetDetachedContent(CMSDecoderRef cmsDecoder, CFDataRef detachedContent);
OSStatus CMSDecoderGetNumSigners(CMSDecoderRef cmsDecoder, size_t *numSignersOut);
OSStatus CMSDecoderCopySignerStatus(
    CMSDecoderRef cmsDecoder, size_t signerIndex, CFTypeRef policyOrArray, Boolean evaluateSecTrust,
    CMSSignerStatus *SEC_NULLABLE signerStatusOut, SecTrustRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED secTrustOut,
    OSStatus *SEC_NULLABLE certVerifyResultCodeOut);
OSStatus CMSDecoderCopyContent(CMSDecoderRef cmsDecoder, CFDataRef SEC_NULLABLE *SEC_RETAINED contentOut);
OSStatus CMSDecoderCopyAllCerts(CMSDecoderRef cmsDecoder, CFArrayRef SEC_NULLABLE *SEC_RETAINED certsOut);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
