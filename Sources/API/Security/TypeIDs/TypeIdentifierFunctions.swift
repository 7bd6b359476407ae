// The values of `CFGetTypeID` for the classes of this module.

/// Returns the type identifier of keys.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { SecKey.runtimeType.identifier }

/// Returns the type identifier of certificates.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { SecCertificate.runtimeType.identifier }

/// Returns the type identifier of identities.
@discardableResult
public func SecIdentityGetTypeID() -> CFTypeID { SecIdentity.runtimeType.identifier }

/// Returns the type identifier of access controls.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { SecAccessControl.runtimeType.identifier }

/// Returns the type identifier of policies.
@discardableResult
public func SecPolicyGetTypeID() -> CFTypeID { SecPolicy.runtimeType.identifier }

/// Returns the type identifier of trust evaluations.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID { SecTrust.runtimeType.identifier }

/// Returns the type identifier of tasks.
@discardableResult
public func SecTaskGetTypeID() -> CFTypeID { SecTask.runtimeType.identifier }

/// Returns the type identifier of running code.
@discardableResult
public func SecCodeGetTypeID() -> CFTypeID { SecCode.runtimeType.identifier }

/// Returns the type identifier of code on disk.
@discardableResult
public func SecStaticCodeGetTypeID() -> CFTypeID { SecStaticCode.runtimeType.identifier }

/// Returns the type identifier of code requirements.
@discardableResult
public func SecRequirementGetTypeID() -> CFTypeID { SecRequirement.runtimeType.identifier }

/// Returns the type identifier of the file keychain's accesses.
@discardableResult
public func SecAccessGetTypeID() -> CFTypeID { SecAccess.runtimeType.identifier }

/// Returns the type identifier of the file keychain's access lists.
@discardableResult
public func SecACLGetTypeID() -> CFTypeID { SecACL.runtimeType.identifier }

/// Returns the type identifier of the file keychain's trusted programs.
@discardableResult
public func SecTrustedApplicationGetTypeID() -> CFTypeID { SecTrustedApplication.runtimeType.identifier }

/// Returns the type identifier of keychain files.
@discardableResult
public func SecKeychainGetTypeID() -> CFTypeID { SecKeychain.runtimeType.identifier }

/// Returns the type identifier of items of keychain files.
@discardableResult
public func SecKeychainItemGetTypeID() -> CFTypeID { SecKeychainItem.runtimeType.identifier }
