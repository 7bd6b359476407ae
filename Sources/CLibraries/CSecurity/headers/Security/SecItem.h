// The four verbs of the keychain.
#ifndef SECURITY_SECITEM_H
#define SECURITY_SECITEM_H

#include <Security/SecBase.h>
#include <Security/SecItemAttributes.h>
#include <Security/SecItemRequest.h>
#include <Security/SecItemValues.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Finds items. The dictionary says which, and what of them is returned: an object, or an array of them when the limit
// is not one. The result is the caller's to release; it is NULL after a failure.
OSStatus SecItemCopyMatching(CFDictionaryRef query, CFTypeRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED result);

// Adds an item. The result, if the dictionary asks for one, is the caller's to release.
OSStatus SecItemAdd(CFDictionaryRef attributes, CFTypeRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED result);

// Changes all items that the query finds.
OSStatus SecItemUpdate(CFDictionaryRef query, CFDictionaryRef attributesToUpdate);

// Deletes all items that the query finds.
OSStatus SecItemDelete(CFDictionaryRef query);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
