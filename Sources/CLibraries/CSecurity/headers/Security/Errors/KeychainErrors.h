// General statuses, and those of keychains and their items.
// MARK: - General
#ifndef SECURITY_ERRORS_KEYCHAINERRORS_H
#define SECURITY_ERRORS_KEYCHAINERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // General:
    errSecSuccess = 0,  // Success
    errSecUnimplemented = -4,  // This function or operation is not implemented
    errSecDiskFull = -34,  // There is no space left on the disk
    errSecDskFull = -34,  // There is no space left on the disk
    errSecIO = -36,  // Reading or writing failed
    errSecOpWr = -49,  // The file is already open for writing
    errSecParam = -50,  // One or more parameters passed to a function were not valid
    errSecWrPerm = -61,  // The file may not be written
    errSecAllocate = -108,  // There is not enough memory
    errSecUserCanceled = -128,  // User canceled the operation
    errSecBadReq = -909,  // The request is malformed or does not fit the state of the operation
    errSecInternalComponent = -2070,  // An internal component failed
    errSecCoreFoundationUnknown = -4960,  // A Core Foundation function failed for an unknown reason
    errSecMissingEntitlement = -34018,  // A required entitlement isn't present
    errSecRestrictedAPI = -34020,  // This program may not use that function

    // Keychains and items:
    errSecNotAvailable = -25291,  // No keychain is available; the keychain service may not be running
    errSecReadOnly = -25292,  // The keychain or item is read-only
    errSecAuthFailed = -25293,  // The user name or passphrase you entered is not correct
    errSecNoSuchKeychain = -25294,  // The specified keychain could not be found
    errSecInvalidKeychain = -25295,  // The file is not a valid keychain
    errSecDuplicateKeychain = -25296,  // There is already a keychain of that name
    errSecDuplicateCallback = -25297,  // That callback function is registered already
    errSecInvalidCallback = -25298,  // That callback function is not registered
    errSecDuplicateItem = -25299,  // The specified item already exists in the keychain
    errSecItemNotFound = -25300,  // The specified item could not be found in the keychain
    errSecBufferTooSmall = -25301,  // The buffer is too small for the result
    errSecDataTooLarge = -25302,  // The value is larger than this kind of item allows
    errSecNoSuchAttr = -25303,  // Items of this class have no such attribute
    errSecInvalidItemRef = -25304,  // The item reference is not valid; the item may have been deleted
    errSecInvalidSearchRef = -25305,  // The search reference is not valid
    errSecNoSuchClass = -25306,  // There is no such item class
    errSecNoDefaultKeychain = -25307,  // There is no default keychain
    errSecInteractionNotAllowed = -25308,  // User interaction is not allowed
    errSecReadOnlyAttr = -25309,  // That attribute cannot be changed
    errSecWrongSecVersion = -25310,  // The keychain was made by a version this one cannot read
    errSecKeySizeNotAllowed = -25311,  // Keys of that size are not allowed
    errSecNoStorageModule = -25312,  // The part that stores items is missing
    errSecNoCertificateModule = -25313,  // The part that handles certificates is missing
    errSecNoPolicyModule = -25314,  // The part that evaluates policies is missing
    errSecInteractionRequired = -25315,  // The user must be asked, and that is not possible here
    errSecDataNotAvailable = -25316,  // The item's value is not available
    errSecDataNotModifiable = -25317,  // The item's value cannot be changed
    errSecCreateChainFailed = -25318,  // No certificate chain could be built
    errSecInvalidPrefsDomain = -25319,  // There is no such preferences domain
    errSecInDarkWake = -25320,  // The device is awake without its display, so the user cannot be asked

    // Access lists and trust settings:
    errSecACLNotSimple = -25240,  // The access list is not in the simple form this function needs
    errSecPolicyNotFound = -25241,  // There is no such policy
    errSecInvalidTrustSetting = -25242,  // The trust setting is not valid
    errSecNoAccessForItem = -25243,  // The item has no access list
    errSecInvalidOwnerEdit = -25244,  // The owner of an access list cannot be changed like that
    errSecTrustNotAvailable = -25245,  // No result of a trust evaluation is available
    errSecInvalidTrustSettings = -25262,  // The trust settings are damaged
    errSecNoTrustSettings = -25263,  // There are no trust settings

    // Import and export:
    errSecUnsupportedFormat = -25256,  // The format is not supported for this import or export
    errSecUnknownFormat = -25257,  // The format of the data was not recognized
    errSecKeyIsSensitive = -25258,  // The key leaves the keychain only in wrapped form
    errSecMultiplePrivKeys = -25259,  // The data holds more than one private key
    errSecPassphraseRequired = -25260,  // A passphrase is needed to import or export this
    errSecInvalidPasswordRef = -25261,  // The reference to the passphrase is not valid
    errSecPkcs12VerifyFailure = -25264,  // The PKCS #12 file could not be verified; the passphrase may be wrong
    errSecNotSigner = -26267,  // The certificate is not the signer's
    errSecDecode = -26275,  // The data could not be decoded
};

#endif
