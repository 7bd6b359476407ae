// Keys of the functions on signed programs. They are declared so that programs written for Apple systems compile.

// MARK: - How running code is found

/// The key of a host's own attribute for code it runs.
@safe nonisolated(unsafe) public let kSecGuestAttributeCanonical: CFString = "canonical"
/// The key of the hash of the code's directory.
@safe nonisolated(unsafe) public let kSecGuestAttributeHash: CFString = "codedirectory-hash"
/// The key of a Mach port.
@safe nonisolated(unsafe) public let kSecGuestAttributeMachPort: CFString = "mach-port"
/// The key of a process identifier.
@safe nonisolated(unsafe) public let kSecGuestAttributePid: CFString = "pid"
/// The key of an audit token.
@safe nonisolated(unsafe) public let kSecGuestAttributeAudit: CFString = "audit"
/// The key of whether the code was made at run time.
@safe nonisolated(unsafe) public let kSecGuestAttributeDynamicCode: CFString = "dynamicCode"
/// The key of the information property list of such code.
@safe nonisolated(unsafe) public let kSecGuestAttributeDynamicCodeInfoPlist: CFString = "dynamicCodeInfoPlist"
/// The key of a processor architecture.
@safe nonisolated(unsafe) public let kSecGuestAttributeArchitecture: CFString = "architecture"
/// The key of a processor subarchitecture.
@safe nonisolated(unsafe) public let kSecGuestAttributeSubarchitecture: CFString = "subarchitecture"

// MARK: - How code on disk is found

/// The key of the architecture to look at.
@safe nonisolated(unsafe) public let kSecCodeAttributeArchitecture: CFString = "architecture"
/// The key of the subarchitecture to look at.
@safe nonisolated(unsafe) public let kSecCodeAttributeSubarchitecture: CFString = "subarchitecture"
/// The key of the offset of the code in a universal file.
@safe nonisolated(unsafe) public let kSecCodeAttributeUniversalFileOffset: CFString = "UniversalFileOffset"
/// The key of the version of a bundle to look at.
@safe nonisolated(unsafe) public let kSecCodeAttributeBundleVersion: CFString = "bundleversion"

// MARK: - What is known of signed code

/// The key of the signer's certificate chain.
@safe nonisolated(unsafe) public let kSecCodeInfoCertificates: CFString = "certificates"
/// The key of the files that signing changes.
@safe nonisolated(unsafe) public let kSecCodeInfoChangedFiles: CFString = "changed-files"
/// The key of the signature's message.
@safe nonisolated(unsafe) public let kSecCodeInfoCMS: CFString = "cms"
/// The key of the requirement that identifies the code.
@safe nonisolated(unsafe) public let kSecCodeInfoDesignatedRequirement: CFString = "designated-requirement"
/// The key of the entitlements, as data.
@safe nonisolated(unsafe) public let kSecCodeInfoEntitlements: CFString = "entitlements"
/// The key of the entitlements, as a dictionary.
@safe nonisolated(unsafe) public let kSecCodeInfoEntitlementsDict: CFString = "entitlements-dict"
/// The key of the signature's flags.
@safe nonisolated(unsafe) public let kSecCodeInfoFlags: CFString = "flags"
/// The key of the format of the code.
@safe nonisolated(unsafe) public let kSecCodeInfoFormat: CFString = "format"
/// The key of the digest algorithm.
@safe nonisolated(unsafe) public let kSecCodeInfoDigestAlgorithm: CFString = "digest-algorithm"
/// The key of all digest algorithms.
@safe nonisolated(unsafe) public let kSecCodeInfoDigestAlgorithms: CFString = "digest-algorithms"
/// The key of the operating system the code is part of.
@safe nonisolated(unsafe) public let kSecCodeInfoPlatformIdentifier: CFString = "platform-identifier"
/// The key of the identifier the signer gave the code.
@safe nonisolated(unsafe) public let kSecCodeInfoIdentifier: CFString = "identifier"
/// The key of the requirement the code would get by default.
@safe nonisolated(unsafe) public let kSecCodeInfoImplicitDesignatedRequirement: CFString = "implicit-requirement"
/// The key of the same as a lightweight requirement.
@safe nonisolated(unsafe) public let kSecCodeInfoDefaultDesignatedLightweightCodeRequirement: CFString =
    "default-designated-lwcr"
/// The key of the main executable.
@safe nonisolated(unsafe) public let kSecCodeInfoMainExecutable: CFString = "main-executable"
/// The key of the information property list.
@safe nonisolated(unsafe) public let kSecCodeInfoPList: CFString = "info-plist"
/// The key of all requirements, as text.
@safe nonisolated(unsafe) public let kSecCodeInfoRequirements: CFString = "requirements"
/// The key of all requirements, as data.
@safe nonisolated(unsafe) public let kSecCodeInfoRequirementData: CFString = "requirement-data"
/// The key of where the signature was found.
@safe nonisolated(unsafe) public let kSecCodeInfoSource: CFString = "source"
/// The key of the status of running code.
@safe nonisolated(unsafe) public let kSecCodeInfoStatus: CFString = "status"
/// The key of the signer's team.
@safe nonisolated(unsafe) public let kSecCodeInfoTeamIdentifier: CFString = "teamid"
/// The key of the time of signing as the signer states it.
@safe nonisolated(unsafe) public let kSecCodeInfoTime: CFString = "signing-time"
/// The key of the time of signing as a time stamp proves it.
@safe nonisolated(unsafe) public let kSecCodeInfoTimestamp: CFString = "signing-timestamp"
/// The key of the trust object for the signature.
@safe nonisolated(unsafe) public let kSecCodeInfoTrust: CFString = "trust"
/// The key of a value that identifies exactly this code.
@safe nonisolated(unsafe) public let kSecCodeInfoUnique: CFString = "unique"
/// The key of the hashes of the code's directories.
@safe nonisolated(unsafe) public let kSecCodeInfoCdHashes: CFString = "cdhashes"
/// The key of the runtime version the code was signed for.
@safe nonisolated(unsafe) public let kSecCodeInfoRuntimeVersion: CFString = "runtime-version"
/// The key of the notarization ticket that travels with the code.
@safe nonisolated(unsafe) public let kSecCodeInfoStapledNotarizationTicket: CFString = "stapled-ticket"
