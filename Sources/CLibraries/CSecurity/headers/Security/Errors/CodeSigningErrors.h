// Statuses of signed code: -67072 to -66990.
// MARK: - Code and its guests
#ifndef SECURITY_ERRORS_CODESIGNINGERRORS_H
#define SECURITY_ERRORS_CODESIGNINGERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // Code and its guests:
    errSecCSUnimplemented = -67072,  // This operation on signed code is not implemented
    errSecCSInvalidObjectRef = -67071,  // The code reference is not valid
    errSecCSInvalidFlags = -67070,  // The flags do not fit this function
    errSecCSObjectRequired = -67069,  // A reference is missing
    errSecCSStaticCodeNotFound = -67068,  // The file of the running code was not found
    errSecCSUnsupportedGuestAttributes = -67067,  // The code cannot be found by these attributes
    errSecCSInvalidAttributeValues = -67066,  // An attribute has a value that is not valid
    errSecCSNoSuchCode = -67065,  // The host has no such code
    errSecCSMultipleGuests = -67064,  // The host has several codes with these attributes
    errSecCSGuestInvalid = -67063,  // The running code was invalidated

    // Signatures:
    errSecCSUnsigned = -67062,  // The code is not signed
    errSecCSSignatureFailed = -67061,  // The code was changed after it was signed
    errSecCSSignatureNotVerifiable = -67060,  // The signature cannot be read, for example for lack of permission
    errSecCSSignatureUnsupported = -67059,  // The kind or version of the signature is not supported
    errSecCSBadDictionaryFormat = -67058,  // A required property list or resource is malformed
    errSecCSResourcesNotSealed = -67057,  // The signature does not cover the resources
    errSecCSResourcesNotFound = -67056,  // The code has no resources, but its signature covers some
    errSecCSResourcesInvalid = -67055,  // The list of sealed resources is damaged
    errSecCSBadResource = -67054,  // A sealed resource is missing or was changed
    errSecCSResourceRulesInvalid = -67053,  // The rules on resources are not valid
    errSecCSReqInvalid = -67052,  // The code requirement is not valid
    errSecCSReqUnsupported = -67051,  // The kind or version of the code requirement is not supported
    errSecCSReqFailed = -67050,  // The code does not meet the requirement
    errSecCSBadObjectFormat = -67049,  // The format of the executable is not known or not supported
    errSecCSInternalError = -67048,  // An internal error occurred while handling signed code
    errSecCSSignatureInvalid = -67045,  // The signature is malformed
    errSecCSSignatureUntrusted = -66996,  // The signature is valid, but its signer is not trusted

    // Hosts of code:
    errSecCSHostReject = -67047,  // The host refuses the code
    errSecCSNotAHost = -67046,  // The code is no host
    errSecCSHostProtocolRelativePath = -67044,  // The host gave a relative path where an absolute one is needed
    errSecCSHostProtocolContradiction = -67043,  // The host's answers contradict each other
    errSecCSHostProtocolDedicationError = -67042,  // A host for one code runs several
    errSecCSHostProtocolNotProxy = -67041,  // The host does not speak for other hosts
    errSecCSHostProtocolStateError = -67040,  // The host's answer does not fit its state
    errSecCSHostProtocolUnrelated = -67039,  // The host gave a code that is not its guest
    errSecCSHostProtocolInvalidHash = -67035,  // The host gave a hash that is not valid
    errSecCSHostProtocolInvalidAttribute = -67031,  // The host gave an attribute that is not valid

    // Files and databases:
    errSecCSNotSupported = -67037,  // This kind of code does not support the operation
    errSecCSCMSTooLarge = -67036,  // The signature's message is too large for its place
    errSecCSStaticCodeChanged = -67034,  // The code on disk is not the code that runs
    errSecCSDBDenied = -67033,  // The rules may not be read or changed
    errSecCSDBAccess = -67032,  // The rules could not be reached
    errSecCSSigDBDenied = -67033,  // The rules may not be read or changed
    errSecCSSigDBAccess = -67032,  // The rules could not be reached
    errSecCSInfoPlistFailed = -67030,  // The information property list was changed or is missing
    errSecCSNoMainExecutable = -67029,  // The code has no main executable
    errSecCSBadBundleFormat = -67028,  // The bundle's format is ambiguous or not known
    errSecCSNoMatches = -67027,  // No rule matches
    errSecCSFileHardQuarantined = -67026,  // The file is under strict quarantine
    errSecCSOutdated = -67025,  // The data is out of date
    errSecCSDbCorrupt = -67024,  // The database of rules is damaged
    errSecCSResourceDirectoryFailed = -67023,  // The directory of resources is not valid
    errSecCSUnsignedNestedCode = -67022,  // Code inside the bundle is not signed
    errSecCSBadNestedCode = -67021,  // Code inside the bundle was changed or is not valid
    errSecCSBadCallbackValue = -67020,  // A callback function gave a value that is not valid
    errSecCSHelperFailed = -67019,  // The helper for signing failed
    errSecCSVetoed = -67018,  // A rule vetoed the operation
    errSecCSBadLVArch = -67017,  // The code has an architecture that library validation cannot handle
    errSecCSResourceNotSupported = -67016,  // That kind of file is not allowed among the resources
    errSecCSRegularFile = -67015,  // The program is neither a bundle nor an executable
    errSecCSUnsealedAppRoot = -67014,  // The bundle's top folder holds files the signature does not cover
    errSecCSWeakResourceRules = -67013,  // The rules on resources leave too much out
    errSecCSDSStoreSymlink = -67012,  // A folder's settings file is a symbolic link
    errSecCSAmbiguousBundleFormat = -67011,  // The bundle could be an application or a framework
    errSecCSBadMainExecutable = -67010,  // The main executable is damaged or not valid
    errSecCSBadFrameworkVersion = -67009,  // A version of the framework is not valid
    errSecCSUnsealedFrameworkRoot = -67008,  // The framework's top folder holds files the signature does not cover
    errSecCSWeakResourceEnvelope = -67007,  // The list of sealed resources is of a kind that is too weak
    errSecCSCancelled = -67006,  // The operation was cancelled
    errSecCSInvalidPlatform = -67005,  // The platform identifier is not valid
    errSecCSTooBig = -67004,  // The code is too large for this format
    errSecCSInvalidSymlink = -67003,  // A symbolic link leads out of the bundle
    errSecCSNotAppLike = -67002,  // The code is not an application
    errSecCSBadDiskImageFormat = -67001,  // The disk image's format does not allow this
    errSecCSUnsupportedDigestAlgorithm = -67000,  // None of the signature's digest algorithms is supported
    errSecCSInvalidAssociatedFileData = -66999,  // The data kept beside the file is not valid
    errSecCSInvalidTeamIdentifier = -66998,  // The team identifier is malformed
    errSecCSBadTeamIdentifier = -66997,  // The team identifier is not the expected one
    errSecMultipleExecSegments = -66995,  // The executable has several executable segments
    errSecCSInvalidEntitlements = -66994,  // The entitlements are not valid
    errSecCSInvalidRuntimeVersion = -66993,  // The runtime version is not valid
    errSecCSRevokedNotarization = -66992,  // The notarization was revoked
    errSecCSCMSConstructionFailed = -66991,  // The signature's message could not be made
    errSecCSRemoteSignerFailed = -66990,  // The remote signer failed
};

#endif
