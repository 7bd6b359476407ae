// Import and export of the macOS file keychain. Keys and certificates are read with `SecKeyCreateWithData`,
// `SecCertificateCreateWithData` and `SecPKCS12Import`.

/// The form of something outside of the keychain.
public enum SecExternalFormat: UInt32, Sendable {
    /// Not known yet.
    case formatUnknown = 0
    /// A public or private key as OpenSSL has it.
    case formatOpenSSL, formatSSH, formatBSAFE, formatRawKey
    /// A private key, encrypted.
    case formatWrappedPKCS8, formatWrappedOpenSSL, formatWrappedSSH, formatWrappedLSH
    /// One certificate.
    case formatX509Cert
    /// Several things at once.
    case formatPEMSequence, formatPKCS7, formatPKCS12, formatNetscapeCertSequence, formatSSHv2
}

/// What something outside of the keychain is.
public enum SecExternalItemType: UInt32, Sendable {
    /// Not known yet.
    case itemTypeUnknown = 0
    /// A key, a certificate, or several.
    case itemTypePrivateKey, itemTypePublicKey, itemTypeSessionKey, itemTypeCertificate, itemTypeAggregate
}

/// How something is written.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Flags by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// As PEM.
    public static let pemArmour = Self(rawValue: 1)
}

/// How keys are imported and exported.
@unsafe public struct SecItemImportExportKeyParameters {
    /// The version of this structure: 0.
    public var version: UInt32 = 0
    /// Bits of `SecKeyImportExportFlags`.
    public var flags: UInt32 = 0
    /// The passphrase.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// Parameters that say nothing.
    public init() {}
}

private let why = "use SecKeyCreateWithData, SecCertificateCreateWithData or SecPKCS12Import."

/// Reads keys and certificates of many forms into a keychain file.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    notHere(why)
}

/// Writes keys and certificates in many forms.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    notHere("use SecKeyCopyExternalRepresentation or SecCertificateCopyData.")
}
