// A NULL, or an object of another type, is answered with errSecParam, NULL or false, and ends no program.
#include "check.h"

// Every function gets NULL, and then another object in each place of an object.
#define REFUSED(call) CHECK((call) == errSecParam)
#define NOTHING(call) CHECK((call) == NULL)

static CFTypeRef result;
static CFErrorRef error;
static size_t length = 8;
static uint8_t bytes[64];
// A NULL that hides a compiler warning.
static void *nothing;

static void checkError(void) {
    CHECK(error != NULL && CFErrorGetCode(error) == errSecParam);
    CHECK(CFEqual(CFErrorGetDomain(error), kCFErrorDomainOSStatus));
    CFStringRef description = CFErrorCopyDescription(error);
    CHECK(CFStringGetLength(description) > 20);
    CFRelease(description);
    CFRelease(error);
    error = NULL;
}
#define ERROR(call)                                                                                                    \
    CHECK(!(call));                                                                                                    \
    checkError()

static void items(void *other) {
    REFUSED(SecItemAdd(other, &result));
    REFUSED(SecItemCopyMatching(other, &result));
    REFUSED(SecItemUpdate(other, other));
    REFUSED(SecItemDelete(other));
    CHECK(result == NULL);
    CHECK(SecRandomCopyBytes(kSecRandomDefault, 8, nothing) == errSecParam);
    CHECK(SecRandomCopyBytes(kSecRandomDefault, 8, bytes) == errSecSuccess);
    CHECK(SecRandomCopyBytes((SecRandomRef)bytes, 8, bytes) == errSecSuccess);
}

static void keys(void *other) {
    ERROR(SecKeyCreateRandomKey(other, &error));
    ERROR(SecKeyCreateWithData(other, other, &error));
    ERROR(SecKeyCopyExternalRepresentation(other, &error));
    ERROR(SecKeyCreateSignature(other, other, other, &error));
    ERROR(SecKeyVerifySignature(other, other, other, other, &error));
    ERROR(SecKeyCreateEncryptedData(other, other, other, &error));
    ERROR(SecKeyCreateDecryptedData(other, other, other, &error));
    ERROR(SecKeyCopyKeyExchangeResult(other, other, other, other, &error));
    NOTHING(SecKeyCreateRandomKey(other, NULL));
    NOTHING(SecKeyCopyAttributes(other));
    NOTHING(SecKeyCopyPublicKey(other));
    CHECK(SecKeyGetBlockSize(other) == 0);
    CHECK(!SecKeyIsAlgorithmSupported(other, 0, other));
    REFUSED(SecKeyGeneratePair(other, NULL, NULL));
    REFUSED(SecKeyRawSign(other, kSecPaddingPKCS1, bytes, 8, bytes, &length));
    REFUSED(SecKeyRawVerify(other, kSecPaddingPKCS1, bytes, 8, bytes, 8));
    REFUSED(SecKeyEncrypt(other, kSecPaddingPKCS1, bytes, 8, bytes, &length));
    REFUSED(SecKeyDecrypt(other, kSecPaddingPKCS1, bytes, 8, bytes, &length));
}

// Memory that does not exist, and lengths that no memory has.
static void memory(void) {
    SecKeyRef key = makeKey(kSecAttrKeyTypeECSECPrimeRandom, 256);
    SecKeyRef half = SecKeyCopyPublicKey(key);
    CHECK(SecKeyRawVerify(half, kSecPaddingPKCS1, bytes, 8, nothing, 0) == errSSLCrypto);
    CFRelease(half);
    REFUSED(SecKeyRawSign(key, kSecPaddingPKCS1, nothing, 8, bytes, &length));
    REFUSED(SecKeyRawSign(key, kSecPaddingPKCS1, bytes, 8, nothing, &length));
    REFUSED(SecKeyRawSign(key, kSecPaddingPKCS1, bytes, 8, bytes, nothing));
    REFUSED(SecKeyRawSign(key, kSecPaddingPKCS1, bytes, (size_t)-1, bytes, &length));
    CHECK(!SecKeyIsAlgorithmSupported(key, 99, kSecKeyAlgorithmECDSASignatureMessageX962SHA256));
    CFRelease(key);
}

static void certificates(void *other) {
    NOTHING(SecCertificateCreateWithData(NULL, other));
    NOTHING(SecCertificateCopyData(other));
    NOTHING(SecCertificateCopySubjectSummary(other));
    NOTHING(SecCertificateCopyKey(other));
    NOTHING(SecCertificateCopyNormalizedIssuerSequence(other));
    NOTHING(SecCertificateCopyNormalizedSubjectSequence(other));
    NOTHING(SecCertificateCopyNotValidBeforeDate(other));
    NOTHING(SecCertificateCopyNotValidAfterDate(other));
    ERROR(SecCertificateCopySerialNumber(other, &error));
    ERROR(SecCertificateCopySerialNumberData(other, &error));
    ERROR(SecCertificateCopyShortDescription(NULL, other, &error));
    ERROR(SecCertificateCopyLongDescription(NULL, other, &error));
    ERROR(SecCertificateCopyValues(other, NULL, &error));
    ERROR(SecCertificateCopyNormalizedIssuerContent(other, &error));
    ERROR(SecCertificateCopyNormalizedSubjectContent(other, &error));
    REFUSED(SecCertificateCopyCommonName(other, (CFStringRef *)&result));
    REFUSED(SecCertificateCopyEmailAddresses(other, (CFArrayRef *)&result));
    REFUSED(SecCertificateCopyPublicKey(other, (SecKeyRef *)&result));
    REFUSED(SecIdentityCreateWithCertificate(NULL, other, (SecIdentityRef *)&result));
    REFUSED(SecIdentityCopyCertificate(other, (SecCertificateRef *)&result));
    REFUSED(SecIdentityCopyPrivateKey(other, (SecKeyRef *)&result));
    NOTHING(SecIdentityCreate(NULL, other, other));
    ERROR(SecAccessControlCreateWithFlags(NULL, other, 0, &error));
    ERROR(SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, 1ul << 60, &error));
    // Without options there is no passphrase.
    CHECK(SecPKCS12Import(other, other, (CFArrayRef *)&result) == (other ? errSecParam : errSecAuthFailed));
    CHECK(SecPKCS12Import(other, nothing, (CFArrayRef *)&result) == errSecAuthFailed);
    REFUSED(SecItemImport(other, NULL, NULL, NULL, 0, NULL, NULL, NULL));
    REFUSED(SecItemExport(nothing, 0, 0, NULL, (CFDataRef *)&result));
    CHECK(result == NULL);
}

static void trust(void *other) {
    SecTrustResultType verdict;
    Boolean flag;
    REFUSED(SecTrustCreateWithCertificates(other, NULL, (SecTrustRef *)&result));
    REFUSED(SecTrustSetPolicies(other, other));
    REFUSED(SecTrustCopyPolicies(other, (CFArrayRef *)&result));
    REFUSED(SecTrustSetAnchorCertificates(other, NULL));
    REFUSED(SecTrustSetAnchorCertificatesOnly(other, true));
    REFUSED(SecTrustCopyCustomAnchorCertificates(other, (CFArrayRef *)&result));
    REFUSED(SecTrustCopyAnchorCertificates(nothing));
    REFUSED(SecTrustSetVerifyDate(other, other));
    CHECK(SecTrustGetVerifyTime(other) == 0);
    ERROR(SecTrustEvaluateWithError(other, &error));
    REFUSED(SecTrustEvaluate(other, &verdict));
    REFUSED(SecTrustGetTrustResult(other, &verdict));
    NOTHING(SecTrustCopyResult(other));
    NOTHING(SecTrustCopyProperties(other));
    NOTHING(SecTrustCopyKey(other));
    NOTHING(SecTrustCopyPublicKey(other));
    NOTHING(SecTrustCopyCertificateChain(other));
    NOTHING(SecTrustGetCertificateAtIndex(other, 0));
    CHECK(SecTrustGetCertificateCount(other) == 0);
    REFUSED(SecTrustSetOptions(other, 0));
    REFUSED(SecTrustSetNetworkFetchAllowed(other, false));
    REFUSED(SecTrustGetNetworkFetchAllowed(other, &flag));
    REFUSED(SecTrustSetOCSPResponse(other, NULL));
    REFUSED(SecTrustSetSignedCertificateTimestamps(other, NULL));
    REFUSED(SecTrustSetKeychains(other, NULL));
    NOTHING(SecTrustCopyExceptions(other));
    CHECK(!SecTrustSetExceptions(other, NULL));
    NOTHING(SecPolicyCreateWithProperties(other, NULL));
    NOTHING(SecPolicyCopyProperties(other));
    CHECK(result == NULL);
}

// An encoder and a decoder that exist and have nothing to do.
static void messages(void *other) {
    CMSEncoderRef encoder = NULL;
    CHECK(CMSEncoderCreate(&encoder) == errSecSuccess && CFGetTypeID(encoder) == CMSEncoderGetTypeID());
    REFUSED(CMSEncoderAddSigners(encoder, other));
    REFUSED(CMSEncoderUpdateContent(encoder, bytes, 8));
    REFUSED(CMSEncoderCopyEncodedContent(encoder, (CFDataRef *)&result));
    CFRelease(encoder);
    CMSDecoderRef decoder = NULL;
    CHECK(CMSDecoderCreate(&decoder) == errSecSuccess && CFGetTypeID(decoder) == CMSDecoderGetTypeID());
    REFUSED(CMSDecoderFinalizeMessage(decoder));
    CHECK(CMSDecoderUpdateMessage(decoder, bytes, 8) == errSecSuccess);
    CHECK(CMSDecoderFinalizeMessage(decoder) == errSecUnknownFormat);
    REFUSED(CMSDecoderCopyContent(decoder, (CFDataRef *)&result));
    CFRelease(decoder);
}

static void code(void *other) {
    ERROR(SecTaskCopyValueForEntitlement(other, other, &error));
    ERROR(SecTaskCopyValuesForEntitlements(other, other, &error));
    ERROR(SecTaskCopySigningIdentifier(other, &error));
    REFUSED(SecCodeCopySelf(0, nothing));
    REFUSED(SecCodeCopyStaticCode(other, 0, (SecStaticCodeRef *)&result));
    REFUSED(SecCodeCheckValidity(other, 0, NULL));
    REFUSED(SecCodeCopyPath(other, 0, (CFURLRef *)&result));
    REFUSED(SecCodeCopySigningInformation(other, 0, (CFDictionaryRef *)&result));
    REFUSED(SecStaticCodeCreateWithPath(other, 0, (SecStaticCodeRef *)&result));
    REFUSED(SecStaticCodeCheckValidity(other, 0, NULL));
    REFUSED(SecRequirementCreateWithData(other, 0, (SecRequirementRef *)&result));
    REFUSED(SecRequirementCreateWithString(nothing, 0, (SecRequirementRef *)&result));
    REFUSED(CMSEncoderAddSigners(other, other));
    REFUSED(CMSEncoderAddRecipients(other, other));
    REFUSED(CMSEncoderSetHasDetachedContent(other, true));
    REFUSED(CMSEncoderUpdateContent(other, bytes, 8));
    REFUSED(CMSEncoderCopyEncodedContent(other, (CFDataRef *)&result));
    REFUSED(CMSDecoderUpdateMessage(other, bytes, 8));
    REFUSED(CMSDecoderFinalizeMessage(other));
    REFUSED(CMSDecoderSetDetachedContent(other, other));
    REFUSED(CMSDecoderGetNumSigners(other, &length));
    REFUSED(CMSDecoderCopySignerStatus(other, 0, other, false, NULL, NULL, NULL));
    REFUSED(CMSDecoderCopyContent(other, (CFDataRef *)&result));
    REFUSED(CMSDecoderCopyAllCerts(other, (CFArrayRef *)&result));
    REFUSED(CMSEncoderSetSignerAlgorithm(other, other));
    REFUSED(CMSEncoderCopySigners(other, (CFArrayRef *)&result));
    REFUSED(CMSEncoderSetCertificateChainMode(other, 9));
    REFUSED(CMSEncodeContent(other, other, other, false, kCMSAttrNone, bytes, 8, (CFDataRef *)&result));
    REFUSED(CMSDecoderCopySignerCert(other, 0, (SecCertificateRef *)&result));
    REFUSED(CMSDecoderIsContentEncrypted(other, nothing));
    messages(other);
}

// A dictionary that contains itself, up to the depth that is read.
static void depth(void) {
    CFMutableArrayRef array = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    CFArrayAppendValue(array, array);
    CFDictionaryRef query = dictionary(kSecClass, kSecClassGenericPassword, kSecMatchItemList, array, NULL);
    REFUSED(SecItemCopyMatching(query, &result));
    CFArrayRemoveAllValues(array);
    CFRelease(query);
    CFRelease(array);
}

int main(void) {
    void *others[] = {NULL, (void *)kCFBooleanTrue};
    for (int i = 0; i < 2; i++) {
        items(others[i]);
        keys(others[i]);
        certificates(others[i]);
        trust(others[i]);
        code(others[i]);
    }
    memory();
    depth();
    puts("arguments: every function has refused what it cannot use");
    return 0;
}
