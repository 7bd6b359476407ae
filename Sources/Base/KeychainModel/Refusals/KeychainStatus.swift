/// The outcome of a keychain operation: an `OSStatus` that is passed unchanged from the engine to the caller.
///
/// The set is open, as Apple's is: any number can arrive. The constants are those that this code uses (rule
/// results.status.codes).
package struct KeychainStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let success = Self(rawValue: 0)
    package static let unimplemented = Self(rawValue: -4)
    /// There is no room: the status of file systems, which `SecBase.h` has too.
    package static let diskFull = Self(rawValue: -34)
    package static let io = Self(rawValue: -36)
    package static let param = Self(rawValue: -50)
    package static let allocate = Self(rawValue: -108)
    package static let userCanceled = Self(rawValue: -128)
    package static let notAvailable = Self(rawValue: -25291)
    package static let readOnly = Self(rawValue: -25292)
    package static let authFailed = Self(rawValue: -25293)
    package static let duplicateItem = Self(rawValue: -25299)
    package static let itemNotFound = Self(rawValue: -25300)
    package static let noSuchAttribute = Self(rawValue: -25303)
    package static let noSuchClass = Self(rawValue: -25306)
    package static let interactionNotAllowed = Self(rawValue: -25308)
    /// The user must authenticate first. Only engine and client exchange this status (rule results.status.codes).
    package static let authNeeded = Self(rawValue: -25330)
    package static let decode = Self(rawValue: -26275)
    package static let internalError = Self(rawValue: -26276)
    package static let verifyFailed = Self(rawValue: -67808)
    package static let sslCrypto = Self(rawValue: -9809)
    package static let missingEntitlement = Self(rawValue: -34018)
}
