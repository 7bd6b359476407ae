// Protected files: their content is encrypted with keys that the keychain gives out, as `security file` does. They open
// for the programs of one access group, while their class says so. Not in Apple's API.
#ifndef SECURITY_SECPROTECTEDFILE_H
#define SECURITY_SECPROTECTEDFILE_H

#include <Security/SecBase.h>
#include <Security/SecItem.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// An open protected file, of which the content is read anywhere, or written from its beginning to its end.
typedef struct __SecProtectedFile *SecProtectedFileRef;

// When a file can be made and read: one of the first four, perhaps with the last.
typedef CF_OPTIONS(uint32_t, SecFileProtection) {
    // While the keychain is unlocked; open files close when it is locked, and go on when it is unlocked.
    kSecFileProtectionComplete = 1,
    // Made also while it is locked, and open files go on; opened while it is unlocked.
    kSecFileProtectionCompleteUnlessOpen = 2,
    // From the first unlock after a start on.
    kSecFileProtectionCompleteUntilFirstUserAuthentication = 3,
    // Always; the access group still holds.
    kSecFileProtectionNone = 4,
    // The file's key never leaves this machine, also in no backup.
    kSecFileProtectionThisDeviceOnly = 1u << 8,
};

// The options of new files say where they belong: kSecAttrAccessGroup, the group (CFString); kSecAttrLabel, the name of
// a shelf, whose files are destroyed together when it is deleted (CFString, at most 255 bytes); kSecAttrAccessControl,
// what opening them demands (SecAccessControlRef, of which the factors count); kSecProtectedFileRecovery, at most seven
// recipients who open them without the keychain (CFArray of CFString, as `security file recovery-key` shows them), next
// to those that the keychain gives each file. NULL is for none. Another key is errSecParam.

CFTypeID SecProtectedFileGetTypeID(void);

// Encrypts a file in its place, or gives a protected one to another class, group or shelf. After a failure it is as it
// was. The blocks of the old one may stay on the disk.
OSStatus SecProtectedFileProtect(
    const char *path, SecFileProtection protection, CFDictionaryRef SEC_NULLABLE options);

// The class that a file claims, without its key. SecCopyLastItemError has the rule file.not-protected for another file.
OSStatus SecProtectedFileGetProtection(const char *path, SecFileProtection *protection);

// Writes content to a protected file, which takes its place when it is complete.
OSStatus SecProtectedFileWriteData(
    const char *path, CFDataRef content, SecFileProtection protection, CFDictionaryRef SEC_NULLABLE options);

// The content of a protected file.
OSStatus SecProtectedFileCopyData(const char *path, CFDataRef SEC_NULLABLE *SEC_RETAINED content);

// Opens a protected file for reading, and verifies that its end is there. All content is verified when it is read.
OSStatus SecProtectedFileOpen(const char *path, SecProtectedFileRef SEC_NULLABLE *SEC_RETAINED file);

// The length of its content in bytes.
OSStatus SecProtectedFileGetLength(SecProtectedFileRef file, uint64_t *length);

// Reads content from an offset on, and says how many bytes there were. After a failure the memory holds none of it.
OSStatus SecProtectedFileRead(
    SecProtectedFileRef file, uint64_t offset, void *buffer, size_t size, size_t *done);

// Begins a protected file. It takes its name when it is closed: until then, and if it is released before, the path has
// what it had.
OSStatus SecProtectedFileCreate(
    const char *path, SecFileProtection protection, CFDictionaryRef SEC_NULLABLE options,
    SecProtectedFileRef SEC_NULLABLE *SEC_RETAINED file);

// Takes more content. While the class is locked nothing is taken (errSecInteractionNotAllowed), and the call can be
// repeated; every other failure ends the file.
OSStatus SecProtectedFileAppend(SecProtectedFileRef file, const void *SEC_NULLABLE bytes, size_t count);

// Completes a file that is written, or closes one that is read, and wipes its key.
OSStatus SecProtectedFileClose(SecProtectedFileRef file);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
