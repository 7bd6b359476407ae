// C programs name keychains. The keychain inside the program is the login's; no other is there.
#include "check.h"

#include <string.h>

static SecKeychainRef opened(const char *path) {
    SecKeychainRef keychain = NULL;
    CHECK(SecKeychainOpen(path, &keychain) == errSecSuccess && keychain != NULL);
    CHECK(CFGetTypeID(keychain) == SecKeychainGetTypeID());
    return keychain;
}

static CFArrayRef listOf(CFTypeRef element, CFIndex count) {
    CFMutableArrayRef list = CFArrayCreateMutable(NULL, 0, &kCFTypeArrayCallBacks);
    for (CFIndex i = 0; i < count; i++) CFArrayAppendValue(list, element);
    return list;
}

static OSStatus searched(CFArrayRef list) {
    CFDictionaryRef query = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("keychains"), kSecMatchSearchList, list, NULL);
    OSStatus status = SecItemCopyMatching(query, NULL);
    CFRelease(query), CFRelease(list);
    return status;
}

static OSStatus added(CFTypeRef keychain) {
    CFDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("keychains"), kSecUseKeychain, keychain, NULL);
    OSStatus status = SecItemAdd(item, NULL);
    CFRelease(item);
    return status;
}

static void paths(SecKeychainRef none) {
    char path[64] = "unchanged";
    UInt32 length = 9;
    CHECK(SecKeychainGetPath(none, &length, path) == errSecBufferTooSmall && length == 9);
    CHECK(strcmp(path, "unchanged") == 0);
    length = sizeof path;
    CHECK(SecKeychainGetPath(none, &length, path) == errSecSuccess && length == 9 && strcmp(path, "/no/where") == 0);
    SecKeychainRef other = none;
    CHECK(SecKeychainOpen("", &other) == errSecParam && other == NULL);
    CHECK(SecKeychainOpen("x", NULL) == errSecParam);
}

static void lists(SecKeychainRef login, SecKeychainRef none) {
    SecKeychainRef standard = NULL;
    CHECK(SecKeychainCopyDefault(&standard) == errSecSuccess && CFEqual(standard, login));
    CHECK(SecKeychainSetDefault(none) == errSecNoSuchKeychain);
    CFArrayRef list = NULL;
    CHECK(SecKeychainCopySearchList(&list) == errSecSuccess && CFArrayGetCount(list) == 1);
    CHECK(CFEqual(CFArrayGetValueAtIndex(list, 0), login));
    CFArrayRef wrong = listOf(CFSTR("x"), 1);
    CHECK(SecKeychainSetSearchList(wrong) == errSecInvalidKeychain);
    CFRelease(wrong), CFRelease(list), CFRelease(standard);
}

int main(void) {
    SecKeychainRef login = opened("login.keychain"), none = opened("/no/where");
    CHECK(added(login) == errSecSuccess && added(none) == errSecNoSuchKeychain);
    CHECK(added(CFSTR("x")) == errSecInvalidKeychain);
    CHECK(searched(listOf(login, 1)) == errSecSuccess && searched(listOf(none, 1)) == errSecNoSuchKeychain);
    CHECK(searched(listOf(login, 0)) == errSecItemNotFound && searched(listOf(login, 1000)) == errSecParam);
    CHECK(searched(listOf(CFSTR("x"), 1)) == errSecInvalidKeychain);
    paths(none);
    lists(login, none);
    CFRelease(login), CFRelease(none);
    printf("keychains: %s\n", "all hold");
    return 0;
}
