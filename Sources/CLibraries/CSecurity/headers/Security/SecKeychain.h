// Keychains with names. A SecKeychainRef is the name of one: each call finds the keychain that has the name then.
// Without kSecMatchSearchList and kSecUseKeychain (SecItem.h), items are those of the login's keychain.
#ifndef SECURITY_SECKEYCHAIN_H
#define SECURITY_SECKEYCHAIN_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

CFTypeID SecKeychainGetTypeID(void);

// The keychain at a path, which need not be there; a bare name stands for a file in a folder of keychains.
OSStatus SecKeychainOpen(const char *pathName, SecKeychainRef SEC_NULLABLE *SEC_RETAINED keychain);

// The path of a keychain, of the default for NULL. The length is the size of the memory, and then that of the path.
OSStatus SecKeychainGetPath(SecKeychainRef SEC_NULLABLE keychain, UInt32 *ioPathLength, char *pathName);

// The default keychain of the user.
OSStatus SecKeychainCopyDefault(SecKeychainRef SEC_NULLABLE *SEC_RETAINED keychain);
OSStatus SecKeychainSetDefault(SecKeychainRef SEC_NULLABLE keychain);

// The search list of the user: an array of SecKeychainRef.
OSStatus SecKeychainCopySearchList(CFArrayRef SEC_NULLABLE *SEC_RETAINED searchList);
OSStatus SecKeychainSetSearchList(CFArrayRef searchList);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
