// What `CFGetTypeID` returns for the classes of this module.

/// Returns the type identifier of keys.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { SecKey.typeIdentifier.rawValue }

/// Returns the type identifier of certificates.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.typeIdentifier.rawValue }

/// Returns the type identifier of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.typeIdentifier.rawValue }

/// Returns the type identifier of access controls.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { SecAccessControl.typeIdentifier.rawValue }

/// Returns the type identifier of policies.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { SecPolicy.typeIdentifier.rawValue }

/// Returns the type identifier of trust evaluations.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { SecTrust.typeIdentifier.rawValue }

/// Returns the type identifier of tasks.
@discardableResult
public func SecTaskGetTypeID() -> CFTypeID { SecTask.typeIdentifier.rawValue }

/// Returns the type identifier of running code.
@discardableResult
public func SecCodeGetTypeID() -> CFTypeID { SecCode.typeIdentifier.rawValue }

/// Returns the type identifier of code on disk.
@discardableResult
public func SecStaticCodeGetTypeID() -> CFTypeID { SecStaticCode.typeIdentifier.rawValue }

/// Returns the type identifier of code requirements.
@discardableResult
public func SecRequirementGetTypeID() -> CFTypeID { SecRequirement.typeIdentifier.rawValue }

/// Returns the type identifier of the file keychain's accesses.
@discardableResult
public func SecAccessGetTypeID() -> CFTypeID { SecAccess.typeIdentifier.rawValue }

/// Returns the type identifier of the file keychain's access lists.
@discardableResult
public func SecACLGetTypeID() -> CFTypeID { SecACL.typeIdentifier.rawValue }

/// Returns the type identifier of the file keychain's trusted programs.
@discardableResult
public func SecTrustedApplicationGetTypeID() -> CFTypeID { SecTrustedApplication.typeIdentifier.rawValue }

/// Returns the type identifier of keychain files.
@discardableResult
public func SecKeychainGetTypeID() -> CFTypeID { SecKeychain.typeIdentifier.rawValue }

/// Returns the type identifier of items of keychain files.
@discardableResult
public func SecKeychainItemGetTypeID() -> CFTypeID { SecKeychainItem.typeIdentifier.rawValue }
