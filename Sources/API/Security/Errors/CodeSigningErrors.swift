// Statuses of signed code: -67072 to -66990.

// MARK: - Code and its guests

/// This operation on signed code is not implemented.
public let errSecCSUnimplemented: OSStatus = -67072
/// The code reference is not valid.
public let errSecCSInvalidObjectRef: OSStatus = -67071
/// The flags do not fit this function.
public let errSecCSInvalidFlags: OSStatus = -67070
/// A reference is missing.
public let errSecCSObjectRequired: OSStatus = -67069
/// The file of the running code was not found.
public let errSecCSStaticCodeNotFound: OSStatus = -67068
/// The code cannot be found by these attributes.
public let errSecCSUnsupportedGuestAttributes: OSStatus = -67067
/// An attribute has a value that is not valid.
public let errSecCSInvalidAttributeValues: OSStatus = -67066
/// The host has no such code.
public let errSecCSNoSuchCode: OSStatus = -67065
/// The host has several codes with these attributes.
public let errSecCSMultipleGuests: OSStatus = -67064
/// The running code was invalidated.
public let errSecCSGuestInvalid: OSStatus = -67063

// MARK: - Signatures

/// The code is not signed.
public let errSecCSUnsigned: OSStatus = -67062
/// The code was changed after it was signed.
public let errSecCSSignatureFailed: OSStatus = -67061
/// The signature cannot be read, for example for lack of permission.
public let errSecCSSignatureNotVerifiable: OSStatus = -67060
/// The kind or version of the signature is not supported.
public let errSecCSSignatureUnsupported: OSStatus = -67059
/// A required property list or resource is malformed.
public let errSecCSBadDictionaryFormat: OSStatus = -67058
/// The signature does not cover the resources.
public let errSecCSResourcesNotSealed: OSStatus = -67057
/// The code has no resources, but its signature covers some.
public let errSecCSResourcesNotFound: OSStatus = -67056
/// The list of sealed resources is damaged.
public let errSecCSResourcesInvalid: OSStatus = -67055
/// A sealed resource is missing or was changed.
public let errSecCSBadResource: OSStatus = -67054
/// The rules on resources are not valid.
public let errSecCSResourceRulesInvalid: OSStatus = -67053
/// The code requirement is not valid.
public let errSecCSReqInvalid: OSStatus = -67052
/// The kind or version of the code requirement is not supported.
public let errSecCSReqUnsupported: OSStatus = -67051
/// The code does not meet the requirement.
public let errSecCSReqFailed: OSStatus = -67050
/// The format of the executable is not known or not supported.
public let errSecCSBadObjectFormat: OSStatus = -67049
/// An internal error occurred while handling signed code.
public let errSecCSInternalError: OSStatus = -67048
/// The signature is malformed.
public let errSecCSSignatureInvalid: OSStatus = -67045
/// The signature is valid, but its signer is not trusted.
public let errSecCSSignatureUntrusted: OSStatus = -66996

// MARK: - Hosts of code

/// The host refuses the code.
public let errSecCSHostReject: OSStatus = -67047
/// The code is no host.
public let errSecCSNotAHost: OSStatus = -67046
/// The host gave a relative path where an absolute one is needed.
public let errSecCSHostProtocolRelativePath: OSStatus = -67044
/// The host's answers contradict each other.
public let errSecCSHostProtocolContradiction: OSStatus = -67043
/// A host for one code runs several.
public let errSecCSHostProtocolDedicationError: OSStatus = -67042
/// The host does not speak for other hosts.
public let errSecCSHostProtocolNotProxy: OSStatus = -67041
/// The host's answer does not fit its state.
public let errSecCSHostProtocolStateError: OSStatus = -67040
/// The host gave a code that is not its guest.
public let errSecCSHostProtocolUnrelated: OSStatus = -67039
/// The host gave a hash that is not valid.
public let errSecCSHostProtocolInvalidHash: OSStatus = -67035
/// The host gave an attribute that is not valid.
public let errSecCSHostProtocolInvalidAttribute: OSStatus = -67031

// MARK: - Files and databases

/// This kind of code does not support the operation.
public let errSecCSNotSupported: OSStatus = -67037
/// The signature's message is too large for its place.
public let errSecCSCMSTooLarge: OSStatus = -67036
/// The code on disk is not the code that runs.
public let errSecCSStaticCodeChanged: OSStatus = -67034
/// The rules may not be read or changed.
public let errSecCSDBDenied: OSStatus = -67033
/// The rules could not be reached.
public let errSecCSDBAccess: OSStatus = -67032
/// The rules may not be read or changed.
public let errSecCSSigDBDenied: OSStatus = -67033
/// The rules could not be reached.
public let errSecCSSigDBAccess: OSStatus = -67032
/// The information property list was changed or is missing.
public let errSecCSInfoPlistFailed: OSStatus = -67030
/// The code has no main executable.
public let errSecCSNoMainExecutable: OSStatus = -67029
/// The bundle's format is ambiguous or not known.
public let errSecCSBadBundleFormat: OSStatus = -67028
/// No rule matches.
public let errSecCSNoMatches: OSStatus = -67027
/// The file is under strict quarantine.
public let errSecCSFileHardQuarantined: OSStatus = -67026
/// The data is out of date.
public let errSecCSOutdated: OSStatus = -67025
/// The database of rules is damaged.
public let errSecCSDbCorrupt: OSStatus = -67024
/// The directory of resources is not valid.
public let errSecCSResourceDirectoryFailed: OSStatus = -67023
/// Code inside the bundle is not signed.
public let errSecCSUnsignedNestedCode: OSStatus = -67022
/// Code inside the bundle was changed or is not valid.
public let errSecCSBadNestedCode: OSStatus = -67021
/// A callback function gave a value that is not valid.
public let errSecCSBadCallbackValue: OSStatus = -67020
/// The helper for signing failed.
public let errSecCSHelperFailed: OSStatus = -67019
/// A rule vetoed the operation.
public let errSecCSVetoed: OSStatus = -67018
/// The code has an architecture that library validation cannot handle.
public let errSecCSBadLVArch: OSStatus = -67017
/// That kind of file is not allowed among the resources.
public let errSecCSResourceNotSupported: OSStatus = -67016
/// The program is neither a bundle nor an executable.
public let errSecCSRegularFile: OSStatus = -67015
/// The bundle's top folder holds files the signature does not cover.
public let errSecCSUnsealedAppRoot: OSStatus = -67014
/// The rules on resources leave too much out.
public let errSecCSWeakResourceRules: OSStatus = -67013
/// A folder's settings file is a symbolic link.
public let errSecCSDSStoreSymlink: OSStatus = -67012
/// The bundle could be an application or a framework.
public let errSecCSAmbiguousBundleFormat: OSStatus = -67011
/// The main executable is damaged or not valid.
public let errSecCSBadMainExecutable: OSStatus = -67010
/// A version of the framework is not valid.
public let errSecCSBadFrameworkVersion: OSStatus = -67009
/// The framework's top folder holds files the signature does not cover.
public let errSecCSUnsealedFrameworkRoot: OSStatus = -67008
/// The list of sealed resources is of a kind that is too weak.
public let errSecCSWeakResourceEnvelope: OSStatus = -67007
/// The operation was cancelled.
public let errSecCSCancelled: OSStatus = -67006
/// The platform identifier is not valid.
public let errSecCSInvalidPlatform: OSStatus = -67005
/// The code is too large for this format.
public let errSecCSTooBig: OSStatus = -67004
/// A symbolic link leads out of the bundle.
public let errSecCSInvalidSymlink: OSStatus = -67003
/// The code is not an application.
public let errSecCSNotAppLike: OSStatus = -67002
/// The disk image's format does not allow this.
public let errSecCSBadDiskImageFormat: OSStatus = -67001
/// None of the signature's digest algorithms is supported.
public let errSecCSUnsupportedDigestAlgorithm: OSStatus = -67000
/// The data kept beside the file is not valid.
public let errSecCSInvalidAssociatedFileData: OSStatus = -66999
/// The team identifier is malformed.
public let errSecCSInvalidTeamIdentifier: OSStatus = -66998
/// The team identifier is not the expected one.
public let errSecCSBadTeamIdentifier: OSStatus = -66997
/// The executable has several executable segments.
public let errSecMultipleExecSegments: OSStatus = -66995
/// The entitlements are not valid.
public let errSecCSInvalidEntitlements: OSStatus = -66994
/// The runtime version is not valid.
public let errSecCSInvalidRuntimeVersion: OSStatus = -66993
/// The notarization was revoked.
public let errSecCSRevokedNotarization: OSStatus = -66992
/// The signature's message could not be made.
public let errSecCSCMSConstructionFailed: OSStatus = -66991
/// The remote signer failed.
public let errSecCSRemoteSignerFailed: OSStatus = -66990
