// Access control: the conditions under which an item can be opened.
#ifndef SECURITY_SECACCESSCONTROL_H
#define SECURITY_SECACCESSCONTROL_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Factors that the user must present.
typedef CF_OPTIONS(CFOptionFlags, SecAccessControlCreateFlags) {
    kSecAccessControlUserPresence = 1ul << 0,
    kSecAccessControlBiometryAny = 1ul << 1,
    kSecAccessControlTouchIDAny = kSecAccessControlBiometryAny,
    kSecAccessControlBiometryCurrentSet = 1ul << 3,
    kSecAccessControlTouchIDCurrentSet = kSecAccessControlBiometryCurrentSet,
    kSecAccessControlDevicePasscode = 1ul << 4,
    kSecAccessControlCompanion = 1ul << 5,
    kSecAccessControlWatch = kSecAccessControlCompanion,
    kSecAccessControlOr = 1ul << 14,
    kSecAccessControlAnd = 1ul << 15,
    kSecAccessControlPrivateKeyUsage = 1ul << 30,
    kSecAccessControlApplicationPassword = 1ul << 31,
    // Not in Apple's API: only a program whose signature has an anchor.
    kSecAccessControlAnchoredProgram = 1ul << 48,
};

CFTypeID SecAccessControlGetTypeID(void);

// Makes an access control of a kSecAttrAccessible value and the factors that the user must present.
SecAccessControlRef SEC_NULLABLE SecAccessControlCreateWithFlags(
    CFAllocatorRef SEC_NULLABLE allocator, CFTypeRef protection, SecAccessControlCreateFlags flags,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
