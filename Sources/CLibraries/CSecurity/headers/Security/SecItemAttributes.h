// Classes of items and their attributes: keys of the dictionaries.
#ifndef SECURITY_SECITEMATTRIBUTES_H
#define SECURITY_SECITEMATTRIBUTES_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// The key of an item's class; every query needs it, unless it names one item by reference
extern const CFStringRef kSecClass;
// The class of passwords of any kind, told apart by account and service
extern const CFStringRef kSecClassGenericPassword;
// The class of passwords of network accounts, told apart by account, server, protocol and path
extern const CFStringRef kSecClassInternetPassword;
// The class of X.509 certificates, told apart by issuer and serial number
extern const CFStringRef kSecClassCertificate;
extern const CFStringRef kSecClassKey;  // The class of cryptographic keys
extern const CFStringRef kSecClassIdentity;  // The class of identities: a certificate and the private key it belongs to

// Access:
extern const CFStringRef kSecAttrAccessible;  // The key of the protection class: when the item can be opened
// The key of the access control: a SecAccessControl, which brings its own protection class
extern const CFStringRef kSecAttrAccessControl;
extern const CFStringRef kSecAttrAccessGroup;  // The key of the access group: which programs share the item
extern const CFStringRef kSecAttrAccessGroupToken;  // The access group of items on smart cards and other tokens
extern const CFStringRef kSecAttrTokenID;  // The key of the token that holds the item, such as the Secure Enclave
extern const CFStringRef kSecAttrTokenIDSecureEnclave;  // The token identifier of the Secure Enclave; for keys only
extern const CFStringRef kSecAttrAccess;  // The key of an access list of the macOS file keychain

// Synchronization:
// The key of whether the item belongs to the synchronized part of the keychain
extern const CFStringRef kSecAttrSynchronizable;
// The value that makes a query find items whether or not they are synchronized
extern const CFStringRef kSecAttrSynchronizableAny;
extern const CFStringRef kSecAttrSyncViewHint;  // The key of the synchronization view an item asks to belong to

// Description:
extern const CFStringRef kSecAttrLabel;  // The key of the name a person sees; not part of what makes an item unique
extern const CFStringRef kSecAttrCreationDate;  // The key of when the item was added; set by the keychain
extern const CFStringRef kSecAttrModificationDate;  // The key of when the item was last changed; set by the keychain
extern const CFStringRef kSecAttrPersistentReference;  // The key of the identifier behind a persistent reference
extern const CFStringRef kSecAttrPersistantReference;  // The misspelt older name of kSecAttrPersistentReference

// Both kinds of passwords:
extern const CFStringRef kSecAttrAccount;  // The key of the account name; part of what makes a password unique
extern const CFStringRef kSecAttrDescription;  // The key of a text that says what kind of item it is
extern const CFStringRef kSecAttrComment;  // The key of a comment by the user
extern const CFStringRef kSecAttrCreator;  // The key of the creator, a number of four characters
extern const CFStringRef kSecAttrType;  // The key of the item's type, a number of four characters
extern const CFStringRef kSecAttrIsInvisible;  // The key of whether user interfaces should leave the item out
extern const CFStringRef kSecAttrIsNegative;  // The key of whether the item stands for "no password is stored here"

// Generic passwords:
// The key of the service a password belongs to; with the account it makes a generic password unique
extern const CFStringRef kSecAttrService;
// The key of data the program may use freely; it does not make an item unique
extern const CFStringRef kSecAttrGeneric;

// Internet passwords:
extern const CFStringRef kSecAttrServer;  // The key of the server's name or address
extern const CFStringRef kSecAttrPort;  // The key of the port number
extern const CFStringRef kSecAttrPath;  // The key of the path on the server
extern const CFStringRef kSecAttrProtocol;  // The key of the protocol, one of the kSecAttrProtocol… values
// The key of the authentication scheme, one of the kSecAttrAuthenticationType… values
extern const CFStringRef kSecAttrAuthenticationType;
extern const CFStringRef kSecAttrSecurityDomain;  // The key of the security domain, the realm of an HTTP server

// Identification:
extern const CFStringRef kSecAttrKeyClass;  // The key of the key class: public, private or symmetric
extern const CFStringRef kSecAttrKeyType;  // The key of the algorithm a key is for
extern const CFStringRef kSecAttrKeySizeInBits;  // The key of the key's size in bits
extern const CFStringRef kSecAttrEffectiveKeySize;  // The key of the bits that count for the key's strength
// The key of the label a program finds a key by; of a key pair, the SHA-1 digest of the public key
extern const CFStringRef kSecAttrApplicationLabel;
extern const CFStringRef kSecAttrApplicationTag;  // The key of a tag the program chooses

// Permissions:
extern const CFStringRef kSecAttrIsPermanent;  // The key of whether a new key is stored in the keychain
extern const CFStringRef kSecAttrIsSensitive;  // The key of whether a key leaves the keychain only in wrapped form
extern const CFStringRef kSecAttrIsExtractable;  // The key of whether a key may leave the keychain at all
extern const CFStringRef kSecAttrCanEncrypt;  // The key of whether a key may encrypt
extern const CFStringRef kSecAttrCanDecrypt;  // The key of whether a key may decrypt
extern const CFStringRef kSecAttrCanDerive;  // The key of whether other keys may be derived from a key
extern const CFStringRef kSecAttrCanSign;  // The key of whether a key may sign
extern const CFStringRef kSecAttrCanVerify;  // The key of whether a key may verify signatures
extern const CFStringRef kSecAttrCanWrap;  // The key of whether a key may wrap other keys
extern const CFStringRef kSecAttrCanUnwrap;  // The key of whether a key may unwrap other keys

// Parameters of key functions:
extern const CFStringRef kSecPrivateKeyAttrs;  // The key of the attributes for the private key of a new pair
extern const CFStringRef kSecPublicKeyAttrs;  // The key of the attributes for the public key of a new pair
extern const CFStringRef kSecAttrPRF;  // The key of the pseudo-random function that derives a key from a password
extern const CFStringRef kSecAttrSalt;  // The key of the salt of such a derivation
extern const CFStringRef kSecAttrRounds;  // The key of the number of rounds of such a derivation

extern const CFStringRef kSecAttrSubject;  // The key of the subject's name, normalized DER
// The key of the issuer's name, normalized DER; part of what makes a certificate unique
extern const CFStringRef kSecAttrIssuer;
extern const CFStringRef kSecAttrSerialNumber;  // The key of the serial number; part of what makes a certificate unique
extern const CFStringRef kSecAttrSubjectKeyID;  // The key of the subject key identifier
// The key of the SHA-1 digest of the public key, which leads to the private key of an identity
extern const CFStringRef kSecAttrPublicKeyHash;
extern const CFStringRef kSecAttrCertificateType;  // The key of the certificate's X.509 version
extern const CFStringRef kSecAttrCertificateEncoding;  // The key of the certificate's encoding; 3 is DER

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
