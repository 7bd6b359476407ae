// Keys that say what a call gives, looks for and wants back.
#ifndef SECURITY_SECITEMREQUEST_H
#define SECURITY_SECITEMREQUEST_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Values:
extern const CFStringRef kSecValueData;  // The key of the secret itself, as data
extern const CFStringRef kSecValueRef;  // The key of a certificate, key or identity object
extern const CFStringRef kSecValuePersistentRef;  // The key of a reference that names one item and outlives the process

// Results:
extern const CFStringRef kSecReturnData;  // The key of whether the secret is returned
extern const CFStringRef kSecReturnAttributes;  // The key of whether the attributes are returned
extern const CFStringRef kSecReturnRef;  // The key of whether an object for the item is returned
extern const CFStringRef kSecReturnPersistentRef;  // The key of whether a persistent reference is returned

// Authentication:
// The key of an LAContext whose authentication counts for the call
extern const CFStringRef kSecUseAuthenticationContext;
extern const CFStringRef kSecUseOperationPrompt;  // The key of the reason the user reads when asked to authenticate
extern const CFStringRef kSecUseAuthenticationUI;  // The key of whether the user may be asked
extern const CFStringRef kSecUseAuthenticationUIAllow;  // The user may be asked; the default
// The call fails with errSecInteractionNotAllowed where the user would be asked
extern const CFStringRef kSecUseAuthenticationUIFail;
// Items for which the user would be asked are left out of the results
extern const CFStringRef kSecUseAuthenticationUISkip;
// The key of the older switch that means the same as kSecUseAuthenticationUIFail
extern const CFStringRef kSecUseNoAuthenticationUI;

// Which keychain:
// The key of whether a Mac uses the data protection keychain; here there is no other
extern const CFStringRef kSecUseDataProtectionKeychain;
// The key of whether the keychain that all users share is meant
extern const CFStringRef kSecUseUserIndependentKeychain;
extern const CFStringRef kSecUseKeychain;  // The key of the keychain file to add to
extern const CFStringRef kSecUseItemList;  // The key of the items to work on

// Number of results:
extern const CFStringRef kSecMatchLimit;  // The key of how many results are wanted; one unless given
extern const CFStringRef kSecMatchLimitOne;  // One result, returned as such
extern const CFStringRef kSecMatchLimitAll;  // All results, returned as an array

// Certificates and identities:
extern const CFStringRef kSecMatchPolicy;  // The key of a policy that the certificate must pass
extern const CFStringRef kSecMatchIssuers;  // The key of the issuers one of which must stand in the certificate's chain
// The key of an address the certificate must name, if it names any
extern const CFStringRef kSecMatchEmailAddressIfPresent;
extern const CFStringRef kSecMatchTrustedOnly;  // The key of whether the certificate must be trusted
extern const CFStringRef kSecMatchValidOnDate;  // The key of the date the certificate must be valid on; null means now

// Names:
// The key of a host; the server must be it or a subdomain of it
extern const CFStringRef kSecMatchHostOrSubdomainOfHost;
extern const CFStringRef kSecMatchSubjectContains;  // The key of text the subject must contain
extern const CFStringRef kSecMatchSubjectStartsWith;  // The key of text the subject must begin with
extern const CFStringRef kSecMatchSubjectEndsWith;  // The key of text the subject must end with
extern const CFStringRef kSecMatchSubjectWholeString;  // The key of text the subject must equal
extern const CFStringRef kSecMatchCaseInsensitive;  // The key of whether case is ignored
extern const CFStringRef kSecMatchDiacriticInsensitive;  // The key of whether accents are ignored
// The key of whether wide and narrow forms of a character are the same
extern const CFStringRef kSecMatchWidthInsensitive;

// Where to search:
extern const CFStringRef kSecMatchItemList;  // The key of the items to search in
extern const CFStringRef kSecMatchSearchList;  // The key of the keychains to search in

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
