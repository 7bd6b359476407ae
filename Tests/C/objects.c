// References are Core Foundation objects, and so is everything that functions return.
//
//     objects CERTIFICATE, a DER file
#include "check.h"

#include <CoreFoundation/CFSet.h>
#include <string.h>

// Compares two objects with the same content and one with another.
static void behaves(CFTypeRef one, CFTypeRef same, CFTypeRef other, CFTypeID type, const char *text) {
    CHECK(CFGetTypeID(one) == type && type != 0);
    CHECK(CFEqual(one, one) && CFEqual(one, same) && !CFEqual(one, other) && !CFEqual(one, CFSTR("a string")));
    CHECK(CFHash(one) == CFHash(same));
    CFStringRef description = CFCopyDescription(one);
    char buffer[512];
    CHECK(CFStringGetCString(description, buffer, sizeof buffer, kCFStringEncodingUTF8));
    CHECK(strstr(buffer, text) != NULL);
    CFRelease(description);

    CFMutableSetRef set = CFSetCreateMutable(NULL, 0, &kCFTypeSetCallBacks);
    CFSetAddValue(set, one);
    CFSetAddValue(set, same);
    CFSetAddValue(set, other);
    CHECK(CFSetGetCount(set) == 2 && CFSetContainsValue(set, same));
    CFRelease(set);
}

static void keys(void) {
    SecKeyRef key = makeKey(kSecAttrKeyTypeECSECPrimeRandom, 256), other = makeKey(kSecAttrKeyTypeRSA, 1024);
    SecKeyRef half = SecKeyCopyPublicKey(key), again = SecKeyCopyPublicKey(key), otherHalf = SecKeyCopyPublicKey(other);
    behaves(half, again, otherHalf, SecKeyGetTypeID(), "SecKeyRef");
    behaves(key, key, half, SecKeyGetTypeID(), "ECPrivateKey");
    CFRelease(half), CFRelease(again), CFRelease(otherHalf), CFRelease(other), CFRelease(key);
}

static SecAccessControlRef control(SecAccessControlCreateFlags flags) {
    return SecAccessControlCreateWithFlags(NULL, kSecAttrAccessibleWhenUnlocked, flags, NULL);
}

static void values(void) {
    SecAccessControlRef one = control(kSecAccessControlUserPresence), same = control(kSecAccessControlUserPresence);
    SecAccessControlRef other = control(0);
    behaves(one, same, other, SecAccessControlGetTypeID(), "SecAccessControlRef");
    CFRelease(one), CFRelease(same), CFRelease(other);

    SecPolicyRef server = SecPolicyCreateSSL(true, CFSTR("example.org")), basic = SecPolicyCreateBasicX509();
    SecPolicyRef equal = SecPolicyCreateSSL(true, CFSTR("example.org"));
    behaves(server, equal, basic, SecPolicyGetTypeID(), "SecPolicyRef");
    CFRelease(server), CFRelease(equal), CFRelease(basic);
}

static void trust(SecCertificateRef certificate) {
    SecTrustRef trust = NULL;
    CHECK(SecTrustCreateWithCertificates(certificate, NULL, &trust) == errSecSuccess);
    CHECK(CFGetTypeID(trust) == SecTrustGetTypeID());
    CFErrorRef error = NULL;
    CHECK(!SecTrustEvaluateWithError(trust, &error) && error != NULL && CFErrorGetCode(error) != 0);
    CFRelease(error);

    // The certificate itself is its anchor.
    CFArrayRef anchors = CFArrayCreate(NULL, (const void **)&certificate, 1, &kCFTypeArrayCallBacks);
    CHECK(SecTrustSetAnchorCertificates(trust, anchors) == errSecSuccess);
    error = (CFErrorRef)anchors;
    CHECK(SecTrustEvaluateWithError(trust, &error) && error == NULL);
    CFRelease(anchors);

    // An object from an index belongs to the evaluation, and is the same every time.
    CHECK(SecTrustGetCertificateCount(trust) == 1);
    SecCertificateRef borrowed = SecTrustGetCertificateAtIndex(trust, 0);
    CHECK(borrowed == SecTrustGetCertificateAtIndex(trust, 0) && CFEqual(borrowed, certificate));
    CHECK(SecTrustGetCertificateAtIndex(trust, 1) == NULL);
    CFRelease(trust);
}

static void certificates(const char *path) {
    CFDataRef encoded = contents(path);
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, encoded);
    SecCertificateRef same = SecCertificateCreateWithData(NULL, encoded);
    CHECK(certificate != NULL);
    CHECK(CFGetTypeID(certificate) == SecCertificateGetTypeID());
    CHECK(CFEqual(certificate, same) && CFHash(certificate) == CFHash(same));
    CFDataRef copy = SecCertificateCopyData(certificate);
    CHECK(CFEqual(copy, encoded) && CFEqual(encoded, copy) && CFHash(copy) == CFHash(encoded));
    CHECK(CFDataGetBytePtr(copy)[0] == 0x30);

    CFStringRef name = NULL;
    char buffer[4] = "xyz";
    CHECK(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess);
    CHECK(CFGetTypeID(name) == CFStringGetTypeID() && CFEqual(name, CFSTR("example.org")));
    // Nothing is written behind a buffer that is too small.
    CHECK(!CFStringGetCString(name, buffer, 3, kCFStringEncodingUTF8) && buffer[3] == 0);
    CFDateRef end = SecCertificateCopyNotValidAfterDate(certificate);
    CHECK(CFGetTypeID(end) == CFDateGetTypeID() && CFDateGetAbsoluteTime(end) > CFAbsoluteTimeGetCurrent());

    trust(certificate);
    CFRelease(end), CFRelease(name), CFRelease(copy), CFRelease(same), CFRelease(certificate), CFRelease(encoded);
}

static void identifiers(void) {
    CFTypeID all[] = {SecKeyGetTypeID(),    SecCertificateGetTypeID(), SecIdentityGetTypeID(),
                      SecTrustGetTypeID(),  SecAccessControlGetTypeID(), SecPolicyGetTypeID(),
                      SecTaskGetTypeID(),   SecCodeGetTypeID(),        SecStaticCodeGetTypeID(),
                      SecRequirementGetTypeID(), CFStringGetTypeID(),  CFDataGetTypeID()};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t j = 0; j < i; j++) CHECK(all[i] != all[j]);
}

static void code(void) {
    SecCodeRef self = NULL;
    CFURLRef path = NULL, same = NULL;
    CFDictionaryRef information = NULL;
    SecStaticCodeRef file = NULL;
    CHECK(SecCodeCopySelf(kSecCSDefaultFlags, &self) == errSecSuccess && CFGetTypeID(self) == SecCodeGetTypeID());
    // Running code stands for its executable, as Apple's headers allow.
    CHECK(SecCodeCopyPath(self, kSecCSDefaultFlags, &path) == errSecSuccess && CFGetTypeID(path) == CFURLGetTypeID());
    CHECK(SecStaticCodeCreateWithPath(path, kSecCSDefaultFlags, &file) == errSecSuccess);
    CHECK(CFGetTypeID(file) == SecStaticCodeGetTypeID());
    CHECK(SecCodeCopyPath(file, kSecCSDefaultFlags, &same) == errSecSuccess && CFEqual(same, path));
    UInt8 text[1024];
    CHECK(CFURLGetFileSystemRepresentation(path, true, text, sizeof text) && strstr((char *)text, "objects") != NULL);
    CHECK(SecCodeCopySigningInformation(self, kSecCSSigningInformation, &information) == errSecSuccess);
    CHECK(CFEqual(CFDictionaryGetValue(information, kSecCodeInfoMainExecutable), path));
    CHECK(SecCodeCheckValidity(self, kSecCSDefaultFlags, NULL) == errSecCSUnsigned);
    CFRelease(information), CFRelease(same), CFRelease(file), CFRelease(path), CFRelease(self);

    SecTaskRef task = SecTaskCreateFromSelf(NULL);
    CHECK(CFGetTypeID(task) == SecTaskGetTypeID());
    CHECK(SecTaskCopyValueForEntitlement(task, CFSTR("keychain-access-groups"), NULL) == NULL);
    CFRelease(task);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    identifiers();
    keys();
    values();
    certificates(arguments[1]);
    code();
    puts("objects: all are Core Foundation's");
    return 0;
}
