// C programs store items and get C objects back, also from many threads at once.
#include "check.h"

#include <CoreFoundation/CFUUID.h>
#include <pthread.h>
#include <string.h>

// Every kind of value that an attribute can have.
static CFMutableDictionaryRef item(CFStringRef service) {
    CFDataRef secret = data("secret"), generic = data("generic");
    SInt32 creatorCode = 1735287144;
    CFNumberRef creator = CFNumberCreate(NULL, kCFNumberSInt32Type, &creatorCode);
    CFMutableDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, service, kSecAttrAccount, CFSTR("anna"), kSecAttrGeneric,
        generic, kSecAttrCreator, creator, kSecAttrIsInvisible, kCFBooleanTrue, kSecValueData, secret, NULL);
    CFRelease(creator), CFRelease(generic), CFRelease(secret);
    return item;
}

static void checkAttributes(CFDictionaryRef found, CFStringRef service) {
    CHECK(CFGetTypeID(found) == CFDictionaryGetTypeID() && CFDictionaryGetCount(found) > 8);
    CHECK(CFDictionaryContainsKey(found, kSecAttrAccount) && !CFDictionaryContainsKey(found, CFSTR("none")));
    CHECK(CFEqual(CFDictionaryGetValue(found, kSecAttrService), service));
    // A key that is made at run time works like a constant.
    CFStringRef key = CFStringCreateWithCString(NULL, "acct", kCFStringEncodingUTF8);
    CHECK(CFEqual(CFDictionaryGetValue(found, key), CFSTR("anna")));
    CFRelease(key);

    CFDataRef secret = CFDictionaryGetValue(found, kSecValueData);
    UInt8 part[4] = {0};
    CHECK(CFDataGetLength(secret) == 6 && memcmp(CFDataGetBytePtr(secret), "secret", 6) == 0);
    CFDataGetBytes(secret, CFRangeMake(1, 3), part);
    CHECK(memcmp(part, "ecr", 4) == 0);
    SInt32 creator = 0;
    CHECK(CFNumberGetValue(CFDictionaryGetValue(found, kSecAttrCreator), kCFNumberSInt32Type, &creator));
    CHECK(creator == 1735287144);
    CFDateRef created = CFDictionaryGetValue(found, kSecAttrCreationDate);
    CHECK(CFDateGetAbsoluteTime(created) > CFAbsoluteTimeGetCurrent() - 600);
    CHECK(CFGetTypeID(CFDictionaryGetValue(found, kSecAttrAccessControl)) == SecAccessControlGetTypeID());
}

static CFTypeRef found(CFDictionaryRef query) {
    CFTypeRef result = NULL;
    CHECK(SecItemCopyMatching(query, &result) == errSecSuccess);
    return result;
}

static void roundTrip(CFStringRef service) {
    CFMutableDictionaryRef one = item(service);
    CHECK(SecItemAdd(one, NULL) == errSecSuccess);
    CFDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, service, kSecReturnAttributes, kCFBooleanTrue,
        kSecReturnData, kCFBooleanTrue, kSecMatchLimit, kSecMatchLimitAll, NULL);
    CFArrayRef all = found(query);
    CHECK(CFGetTypeID(all) == CFArrayGetTypeID() && CFArrayGetCount(all) == 1);
    checkAttributes(CFArrayGetValueAtIndex(all, 0), service);

    // A result works as the input of the next call.
    CFDataRef changed = data("changed");
    CFDictionaryRef changes = dictionary(kSecValueData, changed, NULL);
    CFDictionaryRef same = dictionary(kSecClass, kSecClassGenericPassword, kSecAttrService, service, NULL);
    CHECK(SecItemUpdate(same, changes) == errSecSuccess);
    CFDictionaryRef value = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService,
        CFDictionaryGetValue(CFArrayGetValueAtIndex(all, 0), kSecAttrService), kSecReturnData, kCFBooleanTrue, NULL);
    CFDataRef secret = found(value);
    CHECK(CFEqual(secret, changed));
    CHECK(SecItemDelete(same) == errSecSuccess);
    CFTypeRef none = secret;
    CHECK(SecItemCopyMatching(value, &none) == errSecItemNotFound && none == NULL);
    CFRelease(secret), CFRelease(value), CFRelease(same), CFRelease(changes), CFRelease(changed), CFRelease(all);
    CFRelease(query), CFRelease(one);
}

static void *manyRoundTrips(void *number) {
    char name[32];
    snprintf(name, sizeof name, "thread %ld", (long)number);
    CFStringRef service = CFStringCreateWithCString(NULL, name, kCFStringEncodingUTF8);
    for (int i = 0; i < 5; i++) roundTrip(service);
    CFRelease(service);
    return NULL;
}

// The toolchain's Foundation crashes when Swift looks a key up in a dictionary that Core Foundation has made. This test
// covers that case. It occurs when keys and values are heap strings.
static void foreignDictionaries(void) {
    for (int i = 0; i < 20000; i++) {
        CFStringRef key = CFStringCreateWithCString(NULL, "SecPolicyName", kCFStringEncodingUTF8);
        CFStringRef name = CFStringCreateWithFormat(NULL, NULL, CFSTR("host%d.example.org"), i);
        CFDictionaryRef properties = dictionary(key, name, NULL);
        CFRelease(key), CFRelease(name);
        SecPolicyRef policy = SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties);
        CHECK(policy != NULL);
        CFRelease(properties);
        if (i % 1000 == 0) {
            CFDictionaryRef copy = SecPolicyCopyProperties(policy);
            CFStringRef host = CFDictionaryGetValue(copy, kSecPolicyName);
            CHECK(CFStringHasSuffix(host, CFSTR(".example.org")));
            CFRelease(copy);
        }
        CFRelease(policy);
    }
}

// Dictionaries within dictionaries, and one whose keys are compared by address.
static void nestedDictionaries(void) {
    CFDataRef tag = data("org.example.c");
    int bits = 256;
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFDictionaryRef private = dictionary(kSecAttrIsPermanent, kCFBooleanTrue, kSecAttrApplicationTag, tag, NULL);
    CFMutableDictionaryRef parameters = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    CFDictionarySetValue(parameters, kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom);
    CFDictionarySetValue(parameters, kSecAttrKeySizeInBits, size);
    CFDictionarySetValue(parameters, kSecPrivateKeyAttrs, private);
    SecKeyRef public = NULL, key = NULL;
    CHECK(SecKeyGeneratePair(parameters, &public, &key) == errSecSuccess && public != NULL && key != NULL);
    CFDictionaryRef query = dictionary(
        kSecClass, kSecClassKey, kSecAttrApplicationTag, tag, kSecReturnRef, kCFBooleanTrue, NULL);
    SecKeyRef kept = (SecKeyRef)found(query);
    CHECK(CFEqual(kept, key) && CFGetTypeID(kept) == SecKeyGetTypeID());
    CFDictionaryRef same = dictionary(kSecClass, kSecClassKey, kSecAttrApplicationTag, tag, NULL);
    CHECK(SecItemDelete(same) == errSecSuccess);
    CFRelease(same), CFRelease(kept), CFRelease(query), CFRelease(key), CFRelease(public), CFRelease(parameters);
    CFRelease(private), CFRelease(size), CFRelease(tag);
}

// A key given by reference.
static void references(void) {
    SecKeyRef key = makeKey(kSecAttrKeyTypeRSA, 1024);
    CFDictionaryRef item = dictionary(kSecClass, kSecClassKey, kSecValueRef, key, kSecAttrLabel, CFSTR("held"), NULL);
    CHECK(SecItemAdd(item, NULL) == errSecSuccess);
    CFDictionaryRef query = dictionary(
        kSecClass, kSecClassKey, kSecAttrLabel, CFSTR("held"), kSecReturnRef, kCFBooleanTrue, NULL);
    SecKeyRef kept = (SecKeyRef)found(query);
    CHECK(CFEqual(kept, key) && SecKeyGetBlockSize(kept) == 128);
    CFDictionaryRef same = dictionary(kSecClass, kSecClassKey, kSecValueRef, kept, NULL);
    CHECK(SecItemDelete(same) == errSecSuccess);
    CHECK(SecItemDelete(same) == errSecItemNotFound);
    CFRelease(same), CFRelease(kept), CFRelease(query), CFRelease(item), CFRelease(key);
}

int main(void) {
    references();
    roundTrip(CFSTR("org.example.c"));
    foreignDictionaries();
    nestedDictionaries();
    pthread_t threads[8];
    for (long i = 0; i < 8; i++) CHECK(pthread_create(&threads[i], NULL, manyRoundTrips, (void *)i) == 0);
    for (int i = 0; i < 8; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    puts("items: they go in and come back as they were");
    return 0;
}
