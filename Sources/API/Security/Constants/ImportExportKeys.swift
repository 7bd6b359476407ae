// Keys of importing and exporting, and of credentials shared with web sites.

// MARK: - Options of an import

/// The key of the passphrase of the file.
@safe nonisolated(unsafe) public let kSecImportExportPassphrase: CFString = "passphrase"
/// The key of the keychain file to import to.
@safe nonisolated(unsafe) public let kSecImportExportKeychain: CFString = "keychain"
/// The key of the access list imported keys get.
@safe nonisolated(unsafe) public let kSecImportExportAccess: CFString = "access"
/// The key of whether the imported items stay out of the keychain.
@safe nonisolated(unsafe) public let kSecImportToMemoryOnly: CFString = "memory"

// MARK: - Results of an import

/// The key of an imported item's label.
@safe nonisolated(unsafe) public let kSecImportItemLabel: CFString = "label"
/// The key of an imported item's key identifier.
@safe nonisolated(unsafe) public let kSecImportItemKeyID: CFString = "keyid"
/// The key of the trust object for an imported item.
@safe nonisolated(unsafe) public let kSecImportItemTrust: CFString = "trust"
/// The key of an imported item's certificate chain.
@safe nonisolated(unsafe) public let kSecImportItemCertChain: CFString = "chain"
/// The key of an imported identity.
@safe nonisolated(unsafe) public let kSecImportItemIdentity: CFString = "identity"

// MARK: - Shared credentials and identities

/// The key of the password of a credential shared with a web site.
@safe nonisolated(unsafe) public let kSecSharedPassword: CFString = "spwd"
/// The domain of the identity that system services use by default.
@safe nonisolated(unsafe) public let kSecIdentityDomainDefault: CFString = "com.apple.systemdefault"
/// The domain of the identity that a Kerberos key distribution centre uses.
@safe nonisolated(unsafe) public let kSecIdentityDomainKerberosKDC: CFString = "com.apple.kerberos.kdc"
