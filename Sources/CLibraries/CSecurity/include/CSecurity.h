// The functions of Core Foundation that the module SecurityABI needs. Swift reaches them through this header. It names
// no type of Core Foundation's, because the Swift module of that name stands in its way.
#ifndef CSECURITY_H
#define CSECURITY_H

#include <stdbool.h>
#include <stdint.h>

// Nothing of this is part of the ABI.
#pragma GCC visibility push(hidden)

// Any object of Core Foundation's.
typedef const void *CFObject;

// As in SecTask.h, which names Core Foundation's types.
typedef struct {
    unsigned int val[8];
} audit_token_t;

// The kind of an object, as far as it has to be copied.
enum CFObjectKind {
    CFObjectKindOther,
    CFObjectKindString,
    CFObjectKindArray,
    CFObjectKindDictionary,
    CFObjectKindUUID
};
enum CFObjectKind CFObjectGetKind(CFObject object);

// Elements of an array, entries of a dictionary: the collection keeps owning them.
long CFObjectGetCount(CFObject collection);
void CFObjectGetElements(CFObject array, CFObject *elements);
void CFObjectGetEntries(CFObject dictionary, CFObject *keys, CFObject *values);
void CFObjectGetBytesOfUUID(CFObject uuid, uint8_t bytes[16]);

// Objects made by Core Foundation; the caller releases them.
CFObject CFObjectMakeString(const char *utf8, long length);
CFObject CFObjectMakeArray(const CFObject *elements, long count);
CFObject CFObjectMakeDictionary(const CFObject *keys, const CFObject *values, long count);
CFObject CFObjectMakeError(CFObject domain, long code, CFObject userInfo);

// Has work done on a queue; NULL is the main one.
void CSecurityDispatch(void *queue, void *context, void (*work)(void *context));

#pragma GCC visibility pop

#endif
