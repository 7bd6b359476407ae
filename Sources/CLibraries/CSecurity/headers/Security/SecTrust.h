// Evaluating whether a certificate is to be believed.
#ifndef SECURITY_SECTRUST_H
#define SECURITY_SECTRUST_H

#include <Security/SecCertificate.h>
#include <Security/Constants/SecTrustConstants.h>

#ifdef __BLOCKS__
#include <dispatch/dispatch.h>
#endif

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef CF_ENUM(uint32_t, SecTrustResultType) {
    kSecTrustResultInvalid = 0,
    kSecTrustResultProceed = 1,
    kSecTrustResultConfirm = 2,
    kSecTrustResultDeny = 3,
    kSecTrustResultUnspecified = 4,
    kSecTrustResultRecoverableTrustFailure = 5,
    kSecTrustResultFatalTrustFailure = 6,
    kSecTrustResultOtherError = 7,
};

typedef CF_OPTIONS(uint32_t, SecTrustOptionFlags) {
    kSecTrustOptionAllowExpired = 0x01,
    kSecTrustOptionLeafIsCA = 0x02,
    kSecTrustOptionFetchIssuerFromNet = 0x04,
    kSecTrustOptionAllowExpiredRoot = 0x08,
    kSecTrustOptionRequireRevPerCert = 0x10,
    kSecTrustOptionUseTrustSettings = 0x20,
    kSecTrustOptionImplicitAnchors = 0x40,
};

CFTypeID SecTrustGetTypeID(void);

// Makes an evaluation of a certificate, or of an array: the one in question first, then those a chain may be built
// with.
OSStatus SecTrustCreateWithCertificates(
    CFTypeRef certificates, CFTypeRef SEC_NULLABLE policies, SecTrustRef SEC_NULLABLE *SEC_RETAINED trust);

// The policies, anchors and date of the evaluation.
OSStatus SecTrustSetPolicies(SecTrustRef trust, CFTypeRef policies);
OSStatus SecTrustCopyPolicies(SecTrustRef trust, CFArrayRef SEC_NULLABLE *SEC_RETAINED policies);
OSStatus SecTrustSetAnchorCertificates(SecTrustRef trust, CFArrayRef SEC_NULLABLE anchorCertificates);
OSStatus SecTrustSetAnchorCertificatesOnly(SecTrustRef trust, Boolean anchorCertificatesOnly);
OSStatus SecTrustCopyCustomAnchorCertificates(SecTrustRef trust, CFArrayRef SEC_NULLABLE *SEC_RETAINED anchors);
OSStatus SecTrustCopyAnchorCertificates(CFArrayRef SEC_NULLABLE *SEC_RETAINED anchors);
OSStatus SecTrustSetVerifyDate(SecTrustRef trust, CFDateRef verifyDate);
CFAbsoluteTime SecTrustGetVerifyTime(SecTrustRef trust);

// Evaluates. The error is the caller's to release; it is NULL when the certificate is to be believed.
bool SecTrustEvaluateWithError(
    SecTrustRef trust, CFErrorRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED error) SEC_WARN_UNUSED_RESULT;
OSStatus SecTrustEvaluate(SecTrustRef trust, SecTrustResultType *result);
OSStatus SecTrustGetTrustResult(SecTrustRef trust, SecTrustResultType *result);
CFDictionaryRef SEC_NULLABLE SecTrustCopyResult(SecTrustRef trust) SEC_RETAINED;
CFArrayRef SEC_NULLABLE SecTrustCopyProperties(SecTrustRef trust) SEC_RETAINED;

// The public key of the certificate in question, under its newer and its older name.
SecKeyRef SEC_NULLABLE SecTrustCopyKey(SecTrustRef trust) SEC_RETAINED;
SecKeyRef SEC_NULLABLE SecTrustCopyPublicKey(SecTrustRef trust) SEC_RETAINED;

// The chain that was found. The evaluation owns a certificate that is read by its index, until it is evaluated or
// changed again.
CFArrayRef SEC_NULLABLE SecTrustCopyCertificateChain(SecTrustRef trust) SEC_RETAINED;
CFIndex SecTrustGetCertificateCount(SecTrustRef trust);
SecCertificateRef SEC_NULLABLE SecTrustGetCertificateAtIndex(SecTrustRef trust, CFIndex ix);

// Nothing is fetched and nothing is made milder: what asks for it is answered with errSecUnimplemented, or not at all.
OSStatus SecTrustSetOptions(SecTrustRef trustRef, SecTrustOptionFlags options);
OSStatus SecTrustSetNetworkFetchAllowed(SecTrustRef trust, Boolean allowFetch);
OSStatus SecTrustGetNetworkFetchAllowed(SecTrustRef trust, Boolean *allowFetch);
OSStatus SecTrustSetOCSPResponse(SecTrustRef trust, CFTypeRef SEC_NULLABLE responseData);
OSStatus SecTrustSetSignedCertificateTimestamps(SecTrustRef trust, CFArrayRef SEC_NULLABLE sctArray);
OSStatus SecTrustSetKeychains(SecTrustRef trust, CFTypeRef SEC_NULLABLE keychainOrArray);
CFDataRef SEC_NULLABLE SecTrustCopyExceptions(SecTrustRef trust) SEC_RETAINED;
bool SecTrustSetExceptions(SecTrustRef trust, CFDataRef SEC_NULLABLE exceptions);

#ifdef __BLOCKS__
// Called on the queue with what was found; the arguments last as long as the call.
typedef void (^SecTrustCallback)(SecTrustRef trustRef, SecTrustResultType trustResult);
typedef void (^SecTrustWithErrorCallback)(SecTrustRef trustRef, bool result, CFErrorRef SEC_NULLABLE error);
// A queue that is NULL is the main one.
OSStatus SecTrustEvaluateAsync(SecTrustRef trust, dispatch_queue_t SEC_NULLABLE queue, SecTrustCallback result);
OSStatus SecTrustEvaluateAsyncWithError(SecTrustRef trust, dispatch_queue_t queue, SecTrustWithErrorCallback result);
#endif

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
