// Running code: this process.
#ifndef SECURITY_SECCODE_H
#define SECURITY_SECCODE_H

#include <Security/CSCommon.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Flags of SecCodeCopySigningInformation, whose answer has all there is without them.
CF_ENUM(uint32_t) {
    kSecCSSigningInformation = 1u << 1,
    kSecCSRequirementInformation = 1u << 2,
};

CFTypeID SecCodeGetTypeID(void);

// The code of this process.
OSStatus SecCodeCopySelf(SecCSFlags flags, SecCodeRef SEC_NULLABLE *SEC_RETAINED self);
// The executable of running code.
OSStatus SecCodeCopyStaticCode(
    SecCodeRef code, SecCSFlags flags, SecStaticCodeRef SEC_NULLABLE *SEC_RETAINED staticCode);
// Whether it is what was signed. Requirements are not understood: errSecCSUnimplemented.
OSStatus SecCodeCheckValidity(SecCodeRef code, SecCSFlags flags, SecRequirementRef SEC_NULLABLE requirement);
// Where it lies.
OSStatus SecCodeCopyPath(
    SecStaticCodeRef staticCode, SecCSFlags flags, CFURLRef SEC_NULLABLE *SEC_RETAINED path);
// What its signature says.
OSStatus SecCodeCopySigningInformation(
    SecStaticCodeRef code, SecCSFlags flags, CFDictionaryRef SEC_NULLABLE *SEC_RETAINED information);

// How running code is found:
extern const CFStringRef kSecGuestAttributeCanonical;  // The key of a host's own attribute for code it runs
extern const CFStringRef kSecGuestAttributeHash;  // The key of the hash of the code's directory
extern const CFStringRef kSecGuestAttributeMachPort;  // The key of a Mach port
extern const CFStringRef kSecGuestAttributePid;  // The key of a process identifier
extern const CFStringRef kSecGuestAttributeAudit;  // The key of an audit token
extern const CFStringRef kSecGuestAttributeDynamicCode;  // The key of whether the code was made at run time
// The key of the information property list of such code
extern const CFStringRef kSecGuestAttributeDynamicCodeInfoPlist;
extern const CFStringRef kSecGuestAttributeArchitecture;  // The key of a processor architecture
extern const CFStringRef kSecGuestAttributeSubarchitecture;  // The key of a processor subarchitecture

// What is known of signed code:
extern const CFStringRef kSecCodeInfoCertificates;  // The key of the signer's certificate chain
extern const CFStringRef kSecCodeInfoChangedFiles;  // The key of the files that signing changes
extern const CFStringRef kSecCodeInfoCMS;  // The key of the signature's message
extern const CFStringRef kSecCodeInfoDesignatedRequirement;  // The key of the requirement that identifies the code
extern const CFStringRef kSecCodeInfoEntitlements;  // The key of the entitlements, as data
extern const CFStringRef kSecCodeInfoEntitlementsDict;  // The key of the entitlements, as a dictionary
extern const CFStringRef kSecCodeInfoFlags;  // The key of the signature's flags
extern const CFStringRef kSecCodeInfoFormat;  // The key of the format of the code
extern const CFStringRef kSecCodeInfoDigestAlgorithm;  // The key of the digest algorithm
extern const CFStringRef kSecCodeInfoDigestAlgorithms;  // The key of all digest algorithms
extern const CFStringRef kSecCodeInfoPlatformIdentifier;  // The key of the operating system the code is part of
extern const CFStringRef kSecCodeInfoIdentifier;  // The key of the identifier the signer gave the code
// The key of the requirement the code would get by default
extern const CFStringRef kSecCodeInfoImplicitDesignatedRequirement;
// The key of the same as a lightweight requirement
extern const CFStringRef kSecCodeInfoDefaultDesignatedLightweightCodeRequirement;
extern const CFStringRef kSecCodeInfoMainExecutable;  // The key of the main executable
extern const CFStringRef kSecCodeInfoPList;  // The key of the information property list
extern const CFStringRef kSecCodeInfoRequirements;  // The key of all requirements, as text
extern const CFStringRef kSecCodeInfoRequirementData;  // The key of all requirements, as data
extern const CFStringRef kSecCodeInfoSource;  // The key of where the signature was found
extern const CFStringRef kSecCodeInfoStatus;  // The key of the status of running code
extern const CFStringRef kSecCodeInfoTeamIdentifier;  // The key of the signer's team
extern const CFStringRef kSecCodeInfoTime;  // The key of the time of signing as the signer states it
extern const CFStringRef kSecCodeInfoTimestamp;  // The key of the time of signing as a time stamp proves it
extern const CFStringRef kSecCodeInfoTrust;  // The key of the trust object for the signature
extern const CFStringRef kSecCodeInfoUnique;  // The key of a value that identifies exactly this code
extern const CFStringRef kSecCodeInfoCdHashes;  // The key of the hashes of the code's directories
extern const CFStringRef kSecCodeInfoRuntimeVersion;  // The key of the runtime version the code was signed for
// The key of the notarization ticket that travels with the code
extern const CFStringRef kSecCodeInfoStapledNotarizationTicket;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
