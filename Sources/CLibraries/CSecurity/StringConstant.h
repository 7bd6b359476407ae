// A constant string with a name of its own: CFSTR is an expression, and good for no variable of a library.
#ifndef CSECURITY_STRINGCONSTANT_H
#define CSECURITY_STRINGCONSTANT_H

#include <stdint.h>

// The object that Core Foundation's CFSTR makes: an ASCII string that is never freed. Its layout is compiled into every
// program that has one. It is written down here, because Core Foundation's headers are not on the package manager's
// path.
struct ConstantString {
    const void *class;
    uintptr_t referenceCount;
    uint64_t information;
    const char *text;
    uint32_t length;
};

// The class of such strings in Foundation.
extern const char FoundationConstantString[] __asm__("$s10Foundation19_NSCFConstantStringCN");

// A reference count that is not counted.
#define IMMORTAL 0x80000004ffffffff

// The public headers say CFStringRef.
#define STRING_CONSTANT(name, string)                                                                                  \
    static struct ConstantString name##String = {                                                                      \
        FoundationConstantString, IMMORTAL, 0x07C8, (string), sizeof(string) - 1};                                     \
    extern const void *const name;                                                                                     \
    const void *const name = &name##String;

#endif
