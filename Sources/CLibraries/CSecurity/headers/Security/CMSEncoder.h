// Making cryptographic messages, which is not implemented: errSecUnimplemented.
#ifndef SECURITY_CMSENCODER_H
#define SECURITY_CMSENCODER_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef struct _CMSEncoder *CMSEncoderRef;

OSStatus CMSEncoderCreate(CMSEncoderRef SEC_NULLABLE *SEC_RETAINED cmsEncoderOut);
OSStatus CMSEncoderAddSigners(CMSEncoderRef cmsEncoder, CFTypeRef signerOrArray);
OSStatus CMSEncoderAddRecipients(CMSEncoderRef cmsEncoder, CFTypeRef recipientOrArray);
OSStatus CMSEncoderSetHasDetachedContent(CMSEncoderRef cmsEncoder, Boolean detachedContent);
OSStatus CMSEncoderUpdateContent(CMSEncoderRef cmsEncoder, const void *content, size_t contentLen);
OSStatus CMSEncoderCopyEncodedContent(
    CMSEncoderRef cmsEncoder, CFDataRef SEC_NULLABLE *SEC_RETAINED encodedContentOut);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
