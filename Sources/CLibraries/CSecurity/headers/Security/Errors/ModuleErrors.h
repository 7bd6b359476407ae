// Statuses of modules, access lists and calls: -67667 to -67745.
// MARK: - State and integrity of modules
#ifndef SECURITY_ERRORS_MODULEERRORS_H
#define SECURITY_ERRORS_MODULEERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // State and integrity of modules:
    errSecNotInitialized = -67667,  // The function was called before its module was initialized
    errSecInvalidHandleUsage = -67668,  // The handle cannot be used for this
    errSecPVCReferentNotFound = -67669,  // The thing to be checked for integrity was not found
    errSecFunctionIntegrityFail = -67670,  // A function did not pass its integrity check
    errSecInternalError = -67671,  // An internal error occurred
    errSecMemoryError = -67672,  // A memory error occurred
    errSecInvalidData = -67673,  // The data is not valid
    errSecMDSError = -67674,  // The module directory reported an error
    errSecInvalidPointer = -67675,  // A pointer is not valid
    errSecSelfCheckFailed = -67676,  // The module's self-check failed
    errSecFunctionFailed = -67677,  // The function failed
    errSecModuleManifestVerifyFailed = -67678,  // The module's manifest could not be verified
    errSecInvalidGUID = -67679,  // The module identifier is not valid
    errSecInvalidHandle = -67680,  // The handle is not valid
    errSecInvalidDBList = -67681,  // The list of databases is not valid
    errSecInvalidPassthroughID = -67682,  // The number of the module's own function is not valid
    errSecInvalidNetworkAddress = -67683,  // The network address is not valid
    errSecCRLAlreadySigned = -67684,  // The revocation list is signed already
    errSecInvalidNumberOfFields = -67685,  // The number of fields is wrong
    errSecVerificationFailure = -67686,  // Verification failed
    errSecUnknownTag = -67687,  // The tag is not known
    errSecInvalidSignature = -67688,  // The signature is not valid
    errSecInvalidName = -67689,  // The name is not valid
    errSecInvalidCertificateRef = -67690,  // The certificate reference is not valid
    errSecInvalidCertificateGroup = -67691,  // The group of certificates is not valid
    errSecTagNotFound = -67692,  // The tag was not found
    errSecInvalidQuery = -67693,  // The query is not valid
    errSecInvalidValue = -67694,  // The value is not valid
    errSecCallbackFailed = -67695,  // A callback function failed

    // Access lists:
    errSecACLDeleteFailed = -67696,  // An entry of the access list could not be deleted
    errSecACLReplaceFailed = -67697,  // An entry of the access list could not be replaced
    errSecACLAddFailed = -67698,  // An entry could not be added to the access list
    errSecACLChangeFailed = -67699,  // The access list could not be changed
    errSecInvalidAccessCredentials = -67700,  // The credentials are not valid
    errSecInvalidRecord = -67701,  // The record is not valid
    errSecInvalidACL = -67702,  // The access list is not valid
    errSecInvalidSampleValue = -67703,  // A sample of the credentials is not valid
    errSecIncompatibleVersion = -67704,  // The versions do not fit each other
    errSecPrivilegeNotGranted = -67705,  // The privilege was refused
    errSecInvalidScope = -67706,  // The scope is not valid
    errSecPVCAlreadyConfigured = -67707,  // The integrity check is configured already
    errSecInvalidPVC = -67708,  // The configuration of the integrity check is not valid

    // Loading of modules:
    errSecEMMLoadFailed = -67709,  // A module manager could not be loaded
    errSecEMMUnloadFailed = -67710,  // A module manager could not be unloaded
    errSecAddinLoadFailed = -67711,  // An add-in could not be loaded
    errSecInvalidKeyRef = -67712,  // The key reference is not valid
    errSecInvalidKeyHierarchy = -67713,  // The hierarchy of keys is not valid
    errSecAddinUnloadFailed = -67714,  // An add-in could not be unloaded
    errSecLibraryReferenceNotFound = -67715,  // A reference to a library was not found
    errSecInvalidAddinFunctionTable = -67716,  // The add-in's table of functions is not valid
    errSecInvalidServiceMask = -67717,  // The set of services is not valid
    errSecModuleNotLoaded = -67718,  // The module is not loaded
    errSecInvalidSubServiceID = -67719,  // The number of the module's part is not valid
    errSecAttributeNotInContext = -67720,  // The attribute is not in the context
    errSecModuleManagerInitializeFailed = -67721,  // A module manager could not be initialized
    errSecModuleManagerNotFound = -67722,  // A module manager was not found
    errSecEventNotificationCallbackNotFound = -67723,  // The callback function for events was not found

    // Calls and keys:
    errSecInputLengthError = -67724,  // The input has the wrong length
    errSecOutputLengthError = -67725,  // The output has the wrong length
    errSecPrivilegeNotSupported = -67726,  // That privilege is not supported
    errSecDeviceError = -67727,  // The device reported an error
    errSecAttachHandleBusy = -67728,  // The handle is in use
    errSecNotLoggedIn = -67729,  // Nobody is logged in
    errSecAlgorithmMismatch = -67730,  // The key is for another algorithm
    errSecKeyUsageIncorrect = -67731,  // The key may not be used for this
    errSecKeyBlobTypeIncorrect = -67732,  // The stored key is of the wrong kind
    errSecKeyHeaderInconsistent = -67733,  // The header of the key contradicts itself
    errSecUnsupportedKeyFormat = -67734,  // The key's format is not supported
    errSecUnsupportedKeySize = -67735,  // The key's size is not supported
    errSecInvalidKeyUsageMask = -67736,  // The set of key usages is not valid
    errSecUnsupportedKeyUsageMask = -67737,  // The set of key usages is not supported
    errSecInvalidKeyAttributeMask = -67738,  // The set of key attributes is not valid
    errSecUnsupportedKeyAttributeMask = -67739,  // The set of key attributes is not supported
    errSecInvalidKeyLabel = -67740,  // The key's label is not valid
    errSecUnsupportedKeyLabel = -67741,  // The key's label is not supported
    errSecInvalidKeyFormat = -67742,  // The key's format is not valid
    errSecUnsupportedVectorOfBuffers = -67743,  // A list of buffers is not supported here
    errSecInvalidInputVector = -67744,  // The list of input buffers is not valid
    errSecInvalidOutputVector = -67745,  // The list of output buffers is not valid
};

#endif
