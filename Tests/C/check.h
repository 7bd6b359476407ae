// The common code of the programs in this folder.
#ifndef CHECK_H
#define CHECK_H

#include <Security/Security.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Ends the program, and the test with it, when a condition does not hold.
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

// A dictionary of keys and values, the last followed by NULL.
static inline CFMutableDictionaryRef dictionary(CFTypeRef key, ...) {
    CFMutableDictionaryRef made =
        CFDictionaryCreateMutable(NULL, 0, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    va_list arguments;
    va_start(arguments, key);
    for (; key != NULL; key = va_arg(arguments, CFTypeRef)) {
        CFTypeRef value = va_arg(arguments, CFTypeRef);
        CFDictionarySetValue(made, key, value);
    }
    va_end(arguments);
    return made;
}

static inline CFDataRef data(const char *text) {
    CFIndex length = 0;
    while (text[length] != 0) length++;
    return CFDataCreate(NULL, (const UInt8 *)text, length);
}

static inline SecKeyRef makeKey(CFStringRef type, int bits) {
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    CFDictionaryRef parameters = dictionary(kSecAttrKeyType, type, kSecAttrKeySizeInBits, size, NULL);
    SecKeyRef key = SecKeyCreateRandomKey(parameters, NULL);
    CFRelease(parameters);
    CFRelease(size);
    CHECK(key != NULL);
    return key;
}

// The content of a certificate file, which the test's script has made.
static inline CFDataRef contents(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    static UInt8 buffer[1 << 16];
    size_t length = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    return CFDataCreate(NULL, buffer, (CFIndex)length);
}

#endif
