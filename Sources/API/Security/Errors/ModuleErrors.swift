// Statuses of modules, access lists and calls: -67667 to -67745.

// MARK: - State and integrity of modules

/// The function was called before its module was initialized.
public let errSecNotInitialized: OSStatus = -67667
/// The handle cannot be used for this.
public let errSecInvalidHandleUsage: OSStatus = -67668
/// The thing to be checked for integrity was not found.
public let errSecPVCReferentNotFound: OSStatus = -67669
/// A function did not pass its integrity check.
public let errSecFunctionIntegrityFail: OSStatus = -67670
/// An internal error occurred.
public let errSecInternalError: OSStatus = -67671
/// A memory error occurred.
public let errSecMemoryError: OSStatus = -67672
/// The data is not valid.
public let errSecInvalidData: OSStatus = -67673
/// The module directory reported an error.
public let errSecMDSError: OSStatus = -67674
/// A pointer is not valid.
public let errSecInvalidPointer: OSStatus = -67675
/// The module's self-check failed.
public let errSecSelfCheckFailed: OSStatus = -67676
/// The function failed.
public let errSecFunctionFailed: OSStatus = -67677
/// The module's manifest could not be verified.
public let errSecModuleManifestVerifyFailed: OSStatus = -67678
/// The module identifier is not valid.
public let errSecInvalidGUID: OSStatus = -67679
/// The handle is not valid.
public let errSecInvalidHandle: OSStatus = -67680
/// The list of databases is not valid.
public let errSecInvalidDBList: OSStatus = -67681
/// The number of the module's own function is not valid.
public let errSecInvalidPassthroughID: OSStatus = -67682
/// The network address is not valid.
public let errSecInvalidNetworkAddress: OSStatus = -67683
/// The revocation list is signed already.
public let errSecCRLAlreadySigned: OSStatus = -67684
/// The number of fields is wrong.
public let errSecInvalidNumberOfFields: OSStatus = -67685
/// Verification failed.
public let errSecVerificationFailure: OSStatus = -67686
/// The tag is not known.
public let errSecUnknownTag: OSStatus = -67687
/// The signature is not valid.
public let errSecInvalidSignature: OSStatus = -67688
/// The name is not valid.
public let errSecInvalidName: OSStatus = -67689
/// The certificate reference is not valid.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// The group of certificates is not valid.
public let errSecInvalidCertificateGroup: OSStatus = -67691
/// The tag was not found.
public let errSecTagNotFound: OSStatus = -67692
/// The query is not valid.
public let errSecInvalidQuery: OSStatus = -67693
/// The value is not valid.
public let errSecInvalidValue: OSStatus = -67694
/// A callback function failed.
public let errSecCallbackFailed: OSStatus = -67695

// MARK: - Access lists

/// An entry of the access list could not be deleted.
public let errSecACLDeleteFailed: OSStatus = -67696
/// An entry of the access list could not be replaced.
public let errSecACLReplaceFailed: OSStatus = -67697
/// An entry could not be added to the access list.
public let errSecACLAddFailed: OSStatus = -67698
/// The access list could not be changed.
public let errSecACLChangeFailed: OSStatus = -67699
/// The credentials are not valid.
public let errSecInvalidAccessCredentials: OSStatus = -67700
/// The record is not valid.
public let errSecInvalidRecord: OSStatus = -67701
/// The access list is not valid.
public let errSecInvalidACL: OSStatus = -67702
/// A sample of the credentials is not valid.
public let errSecInvalidSampleValue: OSStatus = -67703
/// The versions do not fit each other.
public let errSecIncompatibleVersion: OSStatus = -67704
/// The privilege was refused.
public let errSecPrivilegeNotGranted: OSStatus = -67705
/// The scope is not valid.
public let errSecInvalidScope: OSStatus = -67706
/// The integrity check is configured already.
public let errSecPVCAlreadyConfigured: OSStatus = -67707
/// The configuration of the integrity check is not valid.
public let errSecInvalidPVC: OSStatus = -67708

// MARK: - Loading of modules

/// A module manager could not be loaded.
public let errSecEMMLoadFailed: OSStatus = -67709
/// A module manager could not be unloaded.
public let errSecEMMUnloadFailed: OSStatus = -67710
/// An add-in could not be loaded.
public let errSecAddinLoadFailed: OSStatus = -67711
/// The key reference is not valid.
public let errSecInvalidKeyRef: OSStatus = -67712
/// The hierarchy of keys is not valid.
public let errSecInvalidKeyHierarchy: OSStatus = -67713
/// An add-in could not be unloaded.
public let errSecAddinUnloadFailed: OSStatus = -67714
/// A reference to a library was not found.
public let errSecLibraryReferenceNotFound: OSStatus = -67715
/// The add-in's table of functions is not valid.
public let errSecInvalidAddinFunctionTable: OSStatus = -67716
/// The set of services is not valid.
public let errSecInvalidServiceMask: OSStatus = -67717
/// The module is not loaded.
public let errSecModuleNotLoaded: OSStatus = -67718
/// The number of the module's part is not valid.
public let errSecInvalidSubServiceID: OSStatus = -67719
/// The attribute is not in the context.
public let errSecAttributeNotInContext: OSStatus = -67720
/// A module manager could not be initialized.
public let errSecModuleManagerInitializeFailed: OSStatus = -67721
/// A module manager was not found.
public let errSecModuleManagerNotFound: OSStatus = -67722
/// The callback function for events was not found.
public let errSecEventNotificationCallbackNotFound: OSStatus = -67723

// MARK: - Calls and keys

/// The input has the wrong length.
public let errSecInputLengthError: OSStatus = -67724
/// The output has the wrong length.
public let errSecOutputLengthError: OSStatus = -67725
/// That privilege is not supported.
public let errSecPrivilegeNotSupported: OSStatus = -67726
/// The device reported an error.
public let errSecDeviceError: OSStatus = -67727
/// The handle is in use.
public let errSecAttachHandleBusy: OSStatus = -67728
/// Nobody is logged in.
public let errSecNotLoggedIn: OSStatus = -67729
/// The key is for another algorithm.
public let errSecAlgorithmMismatch: OSStatus = -67730
/// The key may not be used for this.
public let errSecKeyUsageIncorrect: OSStatus = -67731
/// The stored key is of the wrong kind.
public let errSecKeyBlobTypeIncorrect: OSStatus = -67732
/// The header of the key contradicts itself.
public let errSecKeyHeaderInconsistent: OSStatus = -67733
/// The key's format is not supported.
public let errSecUnsupportedKeyFormat: OSStatus = -67734
/// The key's size is not supported.
public let errSecUnsupportedKeySize: OSStatus = -67735
/// The set of key usages is not valid.
public let errSecInvalidKeyUsageMask: OSStatus = -67736
/// The set of key usages is not supported.
public let errSecUnsupportedKeyUsageMask: OSStatus = -67737
/// The set of key attributes is not valid.
public let errSecInvalidKeyAttributeMask: OSStatus = -67738
/// The set of key attributes is not supported.
public let errSecUnsupportedKeyAttributeMask: OSStatus = -67739
/// The key's label is not valid.
public let errSecInvalidKeyLabel: OSStatus = -67740
/// The key's label is not supported.
public let errSecUnsupportedKeyLabel: OSStatus = -67741
/// The key's format is not valid.
public let errSecInvalidKeyFormat: OSStatus = -67742
/// A list of buffers is not supported here.
public let errSecUnsupportedVectorOfBuffers: OSStatus = -67743
/// The list of input buffers is not valid.
public let errSecInvalidInputVector: OSStatus = -67744
/// The list of output buffers is not valid.
public let errSecInvalidOutputVector: OSStatus = -67745
