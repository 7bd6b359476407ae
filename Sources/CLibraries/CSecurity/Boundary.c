// Core Foundation behind the types that Swift can see. Its functions are declared here, because its headers are not on
// the package manager's path.
#include "CSecurity.h"

#include <stddef.h>
#include <string.h>

typedef struct {
    long location, length;
} CFRange;

typedef struct {
    uint8_t bytes[16];
} CFUUIDBytes;

typedef struct CallBacks CallBacks;

extern unsigned long CFGetTypeID(CFObject object);
extern unsigned long CFStringGetTypeID(void);
extern unsigned long CFArrayGetTypeID(void);
extern unsigned long CFDictionaryGetTypeID(void);
extern unsigned long CFUUIDGetTypeID(void);

extern long CFArrayGetCount(CFObject array);
extern void CFArrayGetValues(CFObject array, CFRange range, CFObject *values);
extern long CFDictionaryGetCount(CFObject dictionary);
extern void CFDictionaryGetKeysAndValues(CFObject dictionary, CFObject *keys, CFObject *values);
extern CFUUIDBytes CFUUIDGetUUIDBytes(CFObject uuid);

extern const CallBacks kCFTypeArrayCallBacks, kCFTypeDictionaryKeyCallBacks, kCFTypeDictionaryValueCallBacks;
extern CFObject CFStringCreateWithBytes(
    CFObject allocator, const uint8_t *bytes, long count, uint32_t encoding, unsigned char isExternal);
extern CFObject CFArrayCreate(CFObject allocator, const CFObject *values, long count, const CallBacks *callBacks);
extern CFObject CFDictionaryCreate(
    CFObject allocator, const CFObject *keys, const CFObject *values, long count, const CallBacks *keyCallBacks,
    const CallBacks *valueCallBacks);
extern CFObject CFErrorCreate(CFObject allocator, CFObject domain, long code, CFObject userInfo);

extern char _dispatch_main_q[];
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *context));

enum CFObjectKind CFObjectGetKind(CFObject object) {
    unsigned long type = CFGetTypeID(object);
    if (type == CFStringGetTypeID()) return CFObjectKindString;
    if (type == CFArrayGetTypeID()) return CFObjectKindArray;
    if (type == CFDictionaryGetTypeID()) return CFObjectKindDictionary;
    if (type == CFUUIDGetTypeID()) return CFObjectKindUUID;
    return CFObjectKindOther;
}

long CFObjectGetCount(CFObject collection) {
    return CFObjectGetKind(collection) == CFObjectKindArray ? CFArrayGetCount(collection)
                                                            : CFDictionaryGetCount(collection);
}

void CFObjectGetElements(CFObject array, CFObject *elements) {
    CFArrayGetValues(array, (CFRange){0, CFArrayGetCount(array)}, elements);
}

void CFObjectGetEntries(CFObject dictionary, CFObject *keys, CFObject *values) {
    CFDictionaryGetKeysAndValues(dictionary, keys, values);
}

void CFObjectGetBytesOfUUID(CFObject uuid, uint8_t bytes[16]) {
    CFUUIDBytes value = CFUUIDGetUUIDBytes(uuid);
    memcpy(bytes, value.bytes, 16);
}

CFObject CFObjectMakeString(const char *utf8, long length) {
    return CFStringCreateWithBytes(NULL, (const uint8_t *)utf8, length, 0x08000100, 0);
}

CFObject CFObjectMakeArray(const CFObject *elements, long count) {
    return CFArrayCreate(NULL, elements, count, &kCFTypeArrayCallBacks);
}

CFObject CFObjectMakeDictionary(const CFObject *keys, const CFObject *values, long count) {
    return CFDictionaryCreate(
        NULL, keys, values, count, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
}

CFObject CFObjectMakeError(CFObject domain, long code, CFObject userInfo) {
    return CFErrorCreate(NULL, domain, code, userInfo);
}

void CSecurityDispatch(void *queue, void *context, void (*work)(void *context)) {
    dispatch_async_f(queue != NULL ? queue : (void *)_dispatch_main_q, context, work);
}
