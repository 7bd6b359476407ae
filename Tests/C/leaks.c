// Every retain has its release, and every release its retain. Built with the address sanitizer.
//
//     leaks CERTIFICATE PKCS12 [leak]     the last word makes the program leak, which the sanitizer must find
#include "check.h"

#include <string.h>
#include <unistd.h>

// A function of Swift's runtime; Core Foundation declares CFGetRetainCount and does not define it.
extern size_t swift_retainCount(const void *object);

static CFDataRef encoded, archive;
static CFErrorRef error;

// Runs a call, and checks that the retain count of each argument is unchanged.
#define UNRETAINED(argument, call)                                                                                     \
    do {                                                                                                               \
        size_t before = swift_retainCount(argument);                                                                   \
        call;                                                                                                          \
        CHECK(swift_retainCount(argument) == before);                                                                  \
    } while (0)

// The caller is the only owner of a new object, and releases it.
static void done(CFTypeRef object) {
    CHECK(object != NULL && swift_retainCount(object) == 1);
    CFRelease(object);
}

static void failed(void) {
    CHECK(error != NULL);
    done(error);
    error = NULL;
}

static void items(void) {
    CFDataRef secret = data("secret");
    CFDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("leaks"), kSecValueData, secret,
        kSecReturnAttributes, kCFBooleanTrue, kSecReturnPersistentRef, kCFBooleanTrue, NULL);
    CFDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("leaks"), kSecReturnData, kCFBooleanTrue, NULL);
    CFDictionaryRef all = dictionary(
        kSecClass, kSecClassGenericPassword, kSecReturnAttributes, kCFBooleanTrue, kSecReturnData, kCFBooleanTrue,
        kSecMatchLimit, kSecMatchLimitAll, NULL);
    CFDictionaryRef same = dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("leaks"), NULL);
    CFDictionaryRef changes = dictionary(kSecValueData, secret, NULL);
    CFTypeRef result = NULL;
    UNRETAINED(secret, UNRETAINED(item, CHECK(SecItemAdd(item, &result) == errSecSuccess)));
    done(result);
    CHECK(SecItemAdd(item, &result) == errSecDuplicateItem && result == NULL);
    UNRETAINED(query, CHECK(SecItemCopyMatching(query, &result) == errSecSuccess));
    done(result);
    CHECK(SecItemCopyMatching(all, &result) == errSecSuccess);
    done(result);
    UNRETAINED(secret, UNRETAINED(changes, CHECK(SecItemUpdate(same, changes) == errSecSuccess)));
    UNRETAINED(same, CHECK(SecItemDelete(same) == errSecSuccess));
    CHECK(SecItemCopyMatching(query, &result) == errSecItemNotFound && result == NULL);
    done(SecCopyLastItemError());
    done(SecCopyErrorMessageString(errSecItemNotFound, NULL));
    done(changes), done(same), done(all), done(query), done(item), done(secret);
}

static void signatures(void) {
    SecKeyRef key = makeKey(kSecAttrKeyTypeECSECPrimeRandom, 256), public = SecKeyCopyPublicKey(key);
    CFDataRef message = data("message"), signature = NULL, external = NULL;
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
    UNRETAINED(key, UNRETAINED(message, signature = SecKeyCreateSignature(key, algorithm, message, &error)));
    UNRETAINED(public, CHECK(SecKeyVerifySignature(public, algorithm, message, signature, &error) && error == NULL));
    CHECK(!SecKeyVerifySignature(public, algorithm, signature, message, &error));
    failed();
    CHECK(SecKeyCreateSignature(public, algorithm, message, &error) == NULL);
    failed();
    UNRETAINED(key, external = SecKeyCopyExternalRepresentation(key, NULL));
    CFDictionaryRef attributes = SecKeyCopyAttributes(key);
    SecKeyRef again = SecKeyCreateWithData(external, attributes, NULL);
    CHECK(CFEqual(again, key));
    CFArrayRef array = CFArrayCreate(NULL, (const void **)&again, 1, &kCFTypeArrayCallBacks);
    CHECK(swift_retainCount(again) == 2);
    CFRelease(array);
    done(again), done(attributes), done(external), done(signature), done(message), done(public), done(key);
}

static void ciphertexts(void) {
    SecKeyRef key = makeKey(kSecAttrKeyTypeECSECPrimeRandom, 256), public = SecKeyCopyPublicKey(key);
    SecKeyAlgorithm algorithm = kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
    CFDataRef message = data("message"), ciphertext = SecKeyCreateEncryptedData(public, algorithm, message, NULL);
    CFDataRef plaintext = SecKeyCreateDecryptedData(key, algorithm, ciphertext, NULL);
    CHECK(CFEqual(plaintext, message));
    CHECK(SecKeyCreateDecryptedData(key, algorithm, message, &error) == NULL);
    failed();
    CFDictionaryRef none = dictionary(NULL);
    done(SecKeyCopyKeyExchangeResult(key, kSecKeyAlgorithmECDHKeyExchangeStandard, public, none, NULL));
    done(none), done(plaintext), done(ciphertext), done(message), done(public), done(key);
}

static void certificates(void) {
    SecCertificateRef certificate = NULL;
    UNRETAINED(encoded, certificate = SecCertificateCreateWithData(NULL, encoded));
    CFStringRef name = NULL;
    CFArrayRef list = NULL;
    SecKeyRef key = NULL;
    CHECK(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess);
    CHECK(SecCertificateCopyEmailAddresses(certificate, &list) == errSecSuccess);
    CHECK(SecCertificateCopyPublicKey(certificate, &key) == errSecSuccess);
    done(name), done(list), done(key);
    done(SecCertificateCopyData(certificate));
    done(SecCertificateCopySubjectSummary(certificate));
    done(SecCertificateCopySerialNumberData(certificate, NULL));
    done(SecCertificateCopyNormalizedIssuerSequence(certificate));
    CHECK(SecCertificateCopyValues(certificate, NULL, &error) == NULL);
    failed();

    SecTrustRef trust = NULL;
    SecPolicyRef policy = SecPolicyCreateSSL(true, CFSTR("example.org"));
    UNRETAINED(policy, {
        CHECK(SecTrustCreateWithCertificates(certificate, policy, &trust) == errSecSuccess);
        CHECK(!SecTrustEvaluateWithError(trust, &error));
        failed();
        CHECK(CFGetTypeID(SecTrustGetCertificateAtIndex(trust, 0)) == SecCertificateGetTypeID());
        done(SecTrustCopyCertificateChain(trust));
        done(SecTrustCopyResult(trust));
        done(SecTrustCopyProperties(trust));
        done(SecTrustCopyKey(trust));
        done(trust);
    });
    done(SecPolicyCopyProperties(policy));
    done(policy), done(certificate);
}

static void imports(void) {
    CFDictionaryRef options = dictionary(kSecImportExportPassphrase, CFSTR("test"), NULL);
    CFArrayRef found = NULL;
    UNRETAINED(archive, UNRETAINED(options, CHECK(SecPKCS12Import(archive, options, &found) == errSecSuccess)));
    CFDictionaryRef first = CFArrayGetValueAtIndex(found, 0);
    SecIdentityRef identity = (SecIdentityRef)CFDictionaryGetValue(first, kSecImportItemIdentity);
    SecCertificateRef certificate = NULL;
    SecKeyRef key = NULL;
    CHECK(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess);
    CHECK(SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess);
    done(SecIdentityCreate(NULL, certificate, key));
    CFRelease(found);
    done(key), done(certificate), done(options);
    CHECK(SecAccessControlCreateWithFlags(NULL, CFSTR("none"), 0, &error) == NULL);
    failed();
    SecCodeRef self = NULL;
    CFDictionaryRef information = NULL;
    CHECK(SecCodeCopySelf(0, &self) == errSecSuccess && SecCodeCopySigningInformation(self, 0, &information) == 0);
    done(information), done(self);
    done(SecTaskCreateFromSelf(NULL));
    done(SecCreateSharedWebCredentialPassword());
}

int main(int count, char **arguments) {
    CHECK(count >= 3);
    encoded = contents(arguments[1]);
    archive = contents(arguments[2]);
    for (int i = 0; i < 20; i++) {
        items();
        signatures();
        ciphertexts();
        certificates();
        imports();
    }
    if (count > 3 && strcmp(arguments[3], "leak") == 0) SecPolicyCreateSSL(true, CFSTR("forgotten.example.org"));
    done(archive), done(encoded);
    // A thread that the library keeps while there are requests has ended by then, and has left nothing either.
    usleep(500000);
    puts("leaks: everything that was made is gone");
    return 0;
}
