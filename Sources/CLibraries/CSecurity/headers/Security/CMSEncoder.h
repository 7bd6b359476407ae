// Making cryptographic messages (RFC 5652): signed, encrypted, or signed and then encrypted.
#ifndef SECURITY_CMSENCODER_H
#define SECURITY_CMSENCODER_H

#include <Security/SecBase.h>
#include <Security/Constants/CMSEncoderConstants.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct _CMSEncoder *CMSEncoderRef;

// Attributes that are signed with the content. Others than the capabilities and the time of signing are refused with
// errSecUnimplemented.
typedef CF_OPTIONS(uint32_t, CMSSignedAttributes) {
    kCMSAttrNone = 0x0000,
    kCMSAttrSmimeCapabilities = 0x0001,
    kCMSAttrSmimeEncryptionKeyPrefs = 0x0002,
    kCMSAttrSmimeMSEncryptionKeyPrefs = 0x0004,
    kCMSAttrSigningTime = 0x0008,
    kCMSAttrAppleCodesigningHashAgility = 0x0010,
    kCMSAttrAppleCodesigningHashAgilityV2 = 0x0020,
    kCMSAttrAppleExpirationTime = 0x0040,
};

// Which certificates go with a signature; kCMSCertificateChain where nothing is said.
typedef CF_ENUM(uint32_t, CMSCertificateChainMode) {
    kCMSCertificateNone = 0,
    kCMSCertificateSignerOnly,
    kCMSCertificateChain,
    kCMSCertificateChainWithRoot,
    kCMSCertificateChainWithRootOrFail,
};

CFTypeID CMSEncoderGetTypeID(void);

// An encoder, which makes one message. Its settings come before there is content: afterwards errSecParam.
OSStatus CMSEncoderCreate(CMSEncoderRef SEC_NULLABLE *SEC_RETAINED cmsEncoderOut);
OSStatus CMSEncoderSetSignerAlgorithm(CMSEncoderRef cmsEncoder, CFStringRef digestAlgorithm);
OSStatus CMSEncoderAddSigners(CMSEncoderRef cmsEncoder, CFTypeRef signerOrArray);
OSStatus CMSEncoderCopySigners(CMSEncoderRef cmsEncoder, CFArrayRef SEC_NULLABLE *SEC_RETAINED signersOut);
OSStatus CMSEncoderAddRecipients(CMSEncoderRef cmsEncoder, CFTypeRef recipientOrArray);
OSStatus CMSEncoderCopyRecipients(CMSEncoderRef cmsEncoder, CFArrayRef SEC_NULLABLE *SEC_RETAINED recipientsOut);
OSStatus CMSEncoderAddSupportingCerts(CMSEncoderRef cmsEncoder, CFTypeRef certOrArray);
OSStatus CMSEncoderCopySupportingCerts(CMSEncoderRef cmsEncoder, CFArrayRef SEC_NULLABLE *SEC_RETAINED certsOut);
OSStatus CMSEncoderSetHasDetachedContent(CMSEncoderRef cmsEncoder, Boolean detachedContent);
OSStatus CMSEncoderGetHasDetachedContent(CMSEncoderRef cmsEncoder, Boolean *detachedContentOut);
OSStatus CMSEncoderSetEncapsulatedContentTypeOID(CMSEncoderRef cmsEncoder, CFTypeRef eContentTypeOID);
OSStatus CMSEncoderCopyEncapsulatedContentType(
    CMSEncoderRef cmsEncoder, CFDataRef SEC_NULLABLE *SEC_RETAINED eContentTypeOut);
OSStatus CMSEncoderAddSignedAttributes(CMSEncoderRef cmsEncoder, CMSSignedAttributes signedAttributes);
OSStatus CMSEncoderSetCertificateChainMode(CMSEncoderRef cmsEncoder, CMSCertificateChainMode chainMode);
OSStatus CMSEncoderGetCertificateChainMode(CMSEncoderRef cmsEncoder, CMSCertificateChainMode *chainModeOut);

// Content, in any number of parts, and the message.
OSStatus CMSEncoderUpdateContent(CMSEncoderRef cmsEncoder, const void *content, size_t contentLen);
OSStatus CMSEncoderCopyEncodedContent(
    CMSEncoderRef cmsEncoder, CFDataRef SEC_NULLABLE *SEC_RETAINED encodedContentOut);

// All of it at once.
OSStatus CMSEncodeContent(
    CFTypeRef SEC_NULLABLE signers, CFTypeRef SEC_NULLABLE recipients, CFTypeRef SEC_NULLABLE eContentTypeOID,
    Boolean detachedContent, CMSSignedAttributes signedAttributes, const void *content, size_t contentLen,
    CFDataRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED encodedContentOut);

// Not implemented: errSecUnimplemented.
OSStatus CMSEncoderCopySignerTimestamp(CMSEncoderRef cmsEncoder, size_t signerIndex, CFAbsoluteTime *timestamp);
OSStatus CMSEncoderCopySignerTimestampWithPolicy(
    CMSEncoderRef cmsEncoder, CFTypeRef SEC_NULLABLE timeStampPolicy, size_t signerIndex, CFAbsoluteTime *timestamp);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
