// Dictionaries that contain a NULL, or unknown keys: each is refused, and no stored item is touched. If such a key were
// ignored instead, a query would find, change and delete more than was meant.
//
// usage: strictness CONSTANT...   (all constants of the headers; those whose names are keys' are misspelled)
#include "check.h"

#include <dlfcn.h>
#include <string.h>

static void store(void) {
    CFStringRef names[] = {CFSTR("one"), CFSTR("two")};
    for (int i = 0; i < 2; i++) {
        CFDataRef secret = data("secret");
        CFDictionaryRef password = dictionary(
            kSecClass, kSecClassGenericPassword, kSecAttrService, names[i], kSecValueData, secret, NULL);
        CHECK(SecItemAdd(password, NULL) == errSecSuccess);
        CFRelease(password), CFRelease(secret);
    }
    CFDictionaryRef login = dictionary(
        kSecClass, kSecClassInternetPassword, kSecAttrServer, CFSTR("example.org"), NULL);
    CHECK(SecItemAdd(login, NULL) == errSecSuccess);
    CFRelease(login);
}

// All stored items with values. Dates are included, so that a change to the same value shows too.
static CFArrayRef everything(CFStringRef class) {
    CFDictionaryRef query = dictionary(
        kSecClass, class, kSecMatchLimit, kSecMatchLimitAll, kSecReturnAttributes, kCFBooleanTrue, kSecReturnData,
        kCFBooleanTrue, NULL);
    CFTypeRef all = NULL;
    CHECK(SecItemCopyMatching(query, &all) == errSecSuccess);
    CFRelease(query);
    return all;
}

static CFArrayRef passwords, logins;

static void nothingChanged(void) {
    CFArrayRef now = everything(kSecClassGenericPassword), others = everything(kSecClassInternetPassword);
    CHECK(CFArrayGetCount(now) == CFArrayGetCount(passwords) && CFArrayGetCount(others) == CFArrayGetCount(logins));
    for (CFIndex i = 0; i < CFArrayGetCount(now); i++)
        CHECK(CFEqual(CFDictionaryGetValue(CFArrayGetValueAtIndex(now, i), kSecAttrModificationDate),
                      CFDictionaryGetValue(CFArrayGetValueAtIndex(passwords, i), kSecAttrModificationDate)));
    CFRelease(others), CFRelease(now);
}

// All four functions refuse a dictionary with such an entry, and update refuses it as a change.
static void refused(const void *key, const void *value, OSStatus search, OSStatus others, OSStatus change) {
    const void *keys[] = {kSecClass, key}, *values[] = {kSecClassGenericPassword, value};
    const void *changeKeys[] = {kSecAttrComment, key}, *changeValues[] = {CFSTR("changed"), value};
    CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 2, NULL, NULL);
    CFDictionaryRef changes = CFDictionaryCreate(NULL, changeKeys, changeValues, 2, NULL, NULL);
    CFDictionaryRef all = dictionary(kSecClass, kSecClassGenericPassword, NULL);
    CFDictionaryRef comment = dictionary(kSecAttrComment, CFSTR("changed"), NULL);
    CFTypeRef result = NULL;
    CHECK(SecItemCopyMatching(query, &result) == search && result == NULL);
    if (others != errSecSuccess) {
        CHECK(SecItemAdd(query, NULL) == others);
        CHECK(SecItemUpdate(query, comment) == others);
        CHECK(SecItemDelete(query) == others);
    }
    CHECK(SecItemUpdate(all, changes) == change);
    CFRelease(comment), CFRelease(all), CFRelease(changes), CFRelease(query);
}

// A NULL value under every documented key, a NULL key, and NULL in an array and in a dictionary within the dictionary.
static void nulls(CFStringRef key) {
    if (!CFEqual(key, kSecClass)) refused(key, NULL, errSecParam, errSecParam, errSecParam);
}

static void deepNulls(void) {
    refused(NULL, CFSTR("x"), errSecParam, errSecParam, errSecParam);
    const void *element = NULL;
    CFArrayRef array = CFArrayCreate(NULL, &element, 1, NULL);
    refused(kSecMatchIssuers, array, errSecParam, errSecParam, errSecParam);
    refused(kSecMatchItemList, array, errSecParam, errSecParam, errSecParam);
    const void *inner = kSecAttrIsPermanent;
    CFDictionaryRef private = CFDictionaryCreate(NULL, &inner, &element, 1, NULL, NULL);
    CFDictionaryRef parameters = dictionary(
        kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom, kSecPrivateKeyAttrs, private, NULL);
    CFErrorRef error = NULL;
    CHECK(SecKeyCreateRandomKey(parameters, &error) == NULL && CFErrorGetCode(error) == errSecParam);
    CFRelease(error), CFRelease(parameters), CFRelease(private), CFRelease(array);
}

// A key that is compared by address can occur twice, and then it is ambiguous.
static void twice(void) {
    CFStringRef same = CFStringCreateWithCString(NULL, "svce", kCFStringEncodingUTF8);
    const void *keys[] = {kSecClass, kSecAttrService, same};
    const void *values[] = {kSecClassGenericPassword, CFSTR("one"), CFSTR("two")};
    CFDictionaryRef query = CFDictionaryCreate(NULL, keys, values, 3, NULL, NULL);
    CHECK(CFDictionaryGetCount(query) == 3);
    CHECK(SecItemDelete(query) == errSecParam && SecItemCopyMatching(query, NULL) == errSecParam);
    CFRelease(query), CFRelease(same);
}

static void otherKeys(void) {
    int five = 5;
    CFNumberRef number = CFNumberCreate(NULL, kCFNumberIntType, &five);
    refused(number, CFSTR("x"), errSecParam, errSecParam, errSecParam);
    refused(CFSTR("comment"), kSecClassInternetPassword, errSecParam, errSecParam, errSecNoSuchAttr);
    CFRelease(number);
}

// Attributes without a constant in the headers; a misspelling can produce one of them.
static const char *unlisted =
    " prot alis scrp cusi musr tomb vwht ggrp sha1 UUID sysb clip pcss pcsk pcsi dspk nleg class persistref u_Tomb"
    " u_CallerName ";
static const char *known[1024];
static int countOfKnown;

static int isKnown(const char *text) {
    char word[80];
    snprintf(word, sizeof word, " %s ", text);
    for (int i = 0; i < countOfKnown; i++)
        if (strcmp(known[i], text) == 0) return 1;
    return strstr(unlisted, word) != NULL;
}

static int tried;

static void misspelled(const char *text) {
    size_t length = strlen(text);
    if (length == 0 || isKnown(text) || text[0] == 'f') return;
    OSStatus status = length == 4 ? errSecNoSuchAttr : errSecParam;
    // Searches ignore unknown match keys.
    OSStatus search = text[0] == 'm' && length != 4 ? errSecSuccess : status;
    CFStringRef key = CFStringCreateWithCString(NULL, text, kCFStringEncodingUTF8);
    refused(key, CFSTR("x"), search, status, errSecNoSuchAttr);
    CFRelease(key);
    tried++;
}

// One letter wrong, missing or doubled, at every place.
static void misspell(const char *key) {
    size_t length = strlen(key);
    for (size_t place = 0; place < length; place++) {
        char other[80];
        int at = (int)place;
        snprintf(other, sizeof other, "%.*s%c%s", at, key, key[place] == 'x' ? 'c' : 'x', key + place + 1);
        misspelled(other);
        snprintf(other, sizeof other, "%.*s%s", at, key, key + place + 1);
        misspelled(other);
        snprintf(other, sizeof other, "%.*s%c%s", at, key, key[place], key + place);
        misspelled(other);
    }
}

static int isKey(const char *name) {
    const char *prefixes[] = {"kSecClass", "kSecAttr", "kSecMatch", "kSecReturn", "kSecValue", "kSecUse"};
    for (int i = 0; i < 6; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
    return 0;
}

static void learn(char **names, int count) {
    for (int i = 0; i < count && countOfKnown < 1024; i++) {
        CFStringRef *constant = dlsym(RTLD_DEFAULT, names[i]);
        if (!isKey(names[i]) || constant == NULL) continue;
        char *text = malloc(80);
        CHECK(CFStringGetCString(*constant, text, 80, kCFStringEncodingUTF8));
        known[countOfKnown++] = text;
    }
    CHECK(countOfKnown > 80);
}

int main(int count, char **names) {
    learn(names + 1, count - 1);
    store();
    passwords = everything(kSecClassGenericPassword), logins = everything(kSecClassInternetPassword);
    deepNulls();
    twice();
    otherKeys();
    for (int i = 0; i < countOfKnown; i++) {
        CFStringRef key = CFStringCreateWithCString(NULL, known[i], kCFStringEncodingUTF8);
        nulls(key);
        CFRelease(key);
        misspell(known[i]);
        nothingChanged();
    }
    CHECK(tried > 1000);
    CFRelease(passwords), CFRelease(logins);
    printf("strictness: %d keys that are none were refused\n", tried);
    return 0;
}
