// Notices about items of the program's access groups. The change may be that of this program, of another program of
// the group, of another machine, or of a backup that is restored. Not in Apple's API.
#ifndef SECURITY_SECKEYCHAINCHANGES_H
#define SECURITY_SECKEYCHAINCHANGES_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// A watch of access groups.
typedef struct __SecKeychainChanges *SecKeychainChangesRef;

// Is called on a thread of the watch: items of the group may have changed, and its state has this number now, below
// 2^63. Several changes may be one call; no change is without one. NULL is for a watch of which the keychain will tell
// no more, and is the last call.
typedef void (*SecKeychainChangesCallback)(CFStringRef SEC_NULLABLE group, uint64_t number, void *SEC_NULLABLE context);

CFTypeID SecKeychainChangesGetTypeID(void);

// Begins a watch of groups (CFArray of CFString), or of all groups of the program for NULL. A group with another number
// (CFNumber) in `since` than it has now is told at once: that is what a program has missed. A daemon that was started
// again has other numbers. `changes` is set before the first call. errSecMissingEntitlement is for a group that is not
// the program's.
OSStatus SecKeychainChangesCreate(
    CFArrayRef SEC_NULLABLE groups, CFDictionaryRef SEC_NULLABLE since, SecKeychainChangesCallback callback,
    void *SEC_NULLABLE context, SecKeychainChangesRef SEC_NULLABLE *SEC_RETAINED changes);

// The groups and their numbers (CFNumber) when the watch was made.
CFDictionaryRef SEC_NULLABLE SecKeychainChangesCopyNumbers(SecKeychainChangesRef changes) SEC_RETAINED;

// Ends the watch, as its release does. When this returns, no call is under way and none follows. A callback, of this
// watch or another, can end it too: no call follows then, and one that is under way is not waited for. A child of fork
// has no watch.
void SecKeychainChangesInvalidate(SecKeychainChangesRef changes);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
