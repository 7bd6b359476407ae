// General statuses, and those of keychains and their items.

// MARK: - General

/// Success.
public let errSecSuccess: OSStatus = 0
/// This function or operation is not implemented.
public let errSecUnimplemented: OSStatus = -4
/// There is no space left on the disk.
public let errSecDiskFull: OSStatus = -34
/// There is no space left on the disk.
public let errSecDskFull: OSStatus = -34
/// Reading or writing failed.
public let errSecIO: OSStatus = -36
/// The file is already open for writing.
public let errSecOpWr: OSStatus = -49
/// One or more parameters passed to a function were not valid.
public let errSecParam: OSStatus = -50
/// The file may not be written.
public let errSecWrPerm: OSStatus = -61
/// There is not enough memory.
public let errSecAllocate: OSStatus = -108
/// User canceled the operation.
public let errSecUserCanceled: OSStatus = -128
/// The request is malformed or does not fit the state of the operation.
public let errSecBadReq: OSStatus = -909
/// An internal component failed.
public let errSecInternalComponent: OSStatus = -2070
/// A Core Foundation function failed for an unknown reason.
public let errSecCoreFoundationUnknown: OSStatus = -4960
/// A required entitlement isn't present.
public let errSecMissingEntitlement: OSStatus = -34018
/// This program may not use that function.
public let errSecRestrictedAPI: OSStatus = -34020

// MARK: - Keychains and items

/// No keychain is available; the keychain service may not be running.
public let errSecNotAvailable: OSStatus = -25291
/// The keychain or item is read-only.
public let errSecReadOnly: OSStatus = -25292
/// The user name or passphrase you entered is not correct.
public let errSecAuthFailed: OSStatus = -25293
/// The specified keychain could not be found.
public let errSecNoSuchKeychain: OSStatus = -25294
/// The file is not a valid keychain.
public let errSecInvalidKeychain: OSStatus = -25295
/// There is already a keychain of that name.
public let errSecDuplicateKeychain: OSStatus = -25296
/// That callback function is registered already.
public let errSecDuplicateCallback: OSStatus = -25297
/// That callback function is not registered.
public let errSecInvalidCallback: OSStatus = -25298
/// The specified item already exists in the keychain.
public let errSecDuplicateItem: OSStatus = -25299
/// The specified item could not be found in the keychain.
public let errSecItemNotFound: OSStatus = -25300
/// The buffer is too small for the result.
public let errSecBufferTooSmall: OSStatus = -25301
/// The value is larger than this kind of item allows.
public let errSecDataTooLarge: OSStatus = -25302
/// Items of this class have no such attribute.
public let errSecNoSuchAttr: OSStatus = -25303
/// The item reference is not valid; the item may have been deleted.
public let errSecInvalidItemRef: OSStatus = -25304
/// The search reference is not valid.
public let errSecInvalidSearchRef: OSStatus = -25305
/// There is no such item class.
public let errSecNoSuchClass: OSStatus = -25306
/// There is no default keychain.
public let errSecNoDefaultKeychain: OSStatus = -25307
/// User interaction is not allowed.
public let errSecInteractionNotAllowed: OSStatus = -25308
/// That attribute cannot be changed.
public let errSecReadOnlyAttr: OSStatus = -25309
/// The keychain was made by a version this one cannot read.
public let errSecWrongSecVersion: OSStatus = -25310
/// Keys of that size are not allowed.
public let errSecKeySizeNotAllowed: OSStatus = -25311
/// The part that stores items is missing.
public let errSecNoStorageModule: OSStatus = -25312
/// The part that handles certificates is missing.
public let errSecNoCertificateModule: OSStatus = -25313
/// The part that evaluates policies is missing.
public let errSecNoPolicyModule: OSStatus = -25314
/// The user must be asked, and that is not possible here.
public let errSecInteractionRequired: OSStatus = -25315
/// The item's value is not available.
public let errSecDataNotAvailable: OSStatus = -25316
/// The item's value cannot be changed.
public let errSecDataNotModifiable: OSStatus = -25317
/// No certificate chain could be built.
public let errSecCreateChainFailed: OSStatus = -25318
/// There is no such preferences domain.
public let errSecInvalidPrefsDomain: OSStatus = -25319
/// The device is awake without its display, so the user cannot be asked.
public let errSecInDarkWake: OSStatus = -25320

// MARK: - Access lists and trust settings

/// The access list is not in the simple form this function needs.
public let errSecACLNotSimple: OSStatus = -25240
/// There is no such policy.
public let errSecPolicyNotFound: OSStatus = -25241
/// The trust setting is not valid.
public let errSecInvalidTrustSetting: OSStatus = -25242
/// The item has no access list.
public let errSecNoAccessForItem: OSStatus = -25243
/// The owner of an access list cannot be changed like that.
public let errSecInvalidOwnerEdit: OSStatus = -25244
/// No result of a trust evaluation is available.
public let errSecTrustNotAvailable: OSStatus = -25245
/// The trust settings are damaged.
public let errSecInvalidTrustSettings: OSStatus = -25262
/// There are no trust settings.
public let errSecNoTrustSettings: OSStatus = -25263

// MARK: - Import and export

/// The format is not supported for this import or export.
public let errSecUnsupportedFormat: OSStatus = -25256
/// The format of the data was not recognized.
public let errSecUnknownFormat: OSStatus = -25257
/// The key leaves the keychain only in wrapped form.
public let errSecKeyIsSensitive: OSStatus = -25258
/// The data holds more than one private key.
public let errSecMultiplePrivKeys: OSStatus = -25259
/// A passphrase is needed to import or export this.
public let errSecPassphraseRequired: OSStatus = -25260
/// The reference to the passphrase is not valid.
public let errSecInvalidPasswordRef: OSStatus = -25261
/// The PKCS #12 file could not be verified; the passphrase may be wrong.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// The certificate is not the signer's.
public let errSecNotSigner: OSStatus = -26267
/// The data could not be decoded.
public let errSecDecode: OSStatus = -26275
