// Stores a password, reads it, changes it and deletes it.
//
//     cc password.c $(pkg-config --cflags --libs security) -o password && ./password
#include <Security/Security.h>
#include <stdio.h>

// The caller releases the results of functions with "Create" or "Copy" in their names, and no others.

static CFMutableDictionaryRef account(CFStringRef name) {
    CFMutableDictionaryRef entries =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFDictionarySetValue(entries, kSecClass, kSecClassGenericPassword);
    CFDictionarySetValue(entries, kSecAttrService, CFSTR("org.example.c"));
    CFDictionarySetValue(entries, kSecAttrAccount, name);
    return entries;
}

static void setPassword(CFMutableDictionaryRef entries, const char *password, CFIndex length) {
    CFDataRef data = CFDataCreate(NULL, (const UInt8 *)password, length);
    CFDictionarySetValue(entries, kSecValueData, data);
    CFRelease(data);
}

static void print(const char *what, CFStringRef text) {
    char buffer[256];
    if (text != NULL && CFStringGetCString(text, buffer, sizeof buffer, kCFStringEncodingUTF8))
        printf("%s: %s\n", what, buffer);
}

// Prints the meaning of a status, and the explanation of this keychain: the rule and the remedy.
static OSStatus report(const char *what, OSStatus status) {
    CFStringRef message = SecCopyErrorMessageString(status, NULL);
    print(what, message);
    CFRelease(message);
    CFErrorRef error = status == errSecSuccess ? NULL : SecCopyLastItemError();
    if (error == NULL) return status;
    CFStringRef description = CFErrorCopyDescription(error);
    print("  because", description);
    CFRelease(description);
    CFRelease(error);
    return status;
}

static OSStatus store(CFStringRef name, const char *password, CFIndex length) {
    CFMutableDictionaryRef item = account(name);
    setPassword(item, password, length);
    OSStatus status = SecItemAdd(item, NULL);
    CFRelease(item);
    return report("store", status);
}

static OSStatus change(CFStringRef name, const char *password, CFIndex length) {
    CFMutableDictionaryRef query = account(name);
    CFMutableDictionaryRef changes =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    setPassword(changes, password, length);
    OSStatus status = SecItemUpdate(query, changes);
    CFRelease(changes);
    CFRelease(query);
    return report("change", status);
}

static OSStatus readPassword(CFStringRef name) {
    CFMutableDictionaryRef query = account(name);
    CFDictionarySetValue(query, kSecReturnData, kCFBooleanTrue);
    CFDictionarySetValue(query, kSecReturnAttributes, kCFBooleanTrue);
    CFTypeRef found = NULL;
    OSStatus status = SecItemCopyMatching(query, &found);
    CFRelease(query);
    if (status == errSecSuccess) {
        // Values got from a dictionary belong to it.
        CFDataRef password = (CFDataRef)CFDictionaryGetValue((CFDictionaryRef)found, kSecValueData);
        print("account", (CFStringRef)CFDictionaryGetValue((CFDictionaryRef)found, kSecAttrAccount));
        printf("password: %.*s\n", (int)CFDataGetLength(password), (const char *)CFDataGetBytePtr(password));
        CFRelease(found);
    }
    return report("read", status);
}

static OSStatus forget(CFStringRef name) {
    CFMutableDictionaryRef query = account(name);
    OSStatus status = SecItemDelete(query);
    CFRelease(query);
    return report("delete", status);
}

int main(void) {
    CFStringRef name = CFSTR("anna");
    if (store(name, "first secret", 12) != errSecSuccess) return 1;
    if (store(name, "another", 7) != errSecDuplicateItem) return 1;
    if (readPassword(name) != errSecSuccess) return 1;
    if (change(name, "second secret", 13) != errSecSuccess) return 1;
    if (readPassword(name) != errSecSuccess) return 1;
    if (forget(name) != errSecSuccess) return 1;
    return readPassword(name) == errSecItemNotFound ? 0 : 1;
}
