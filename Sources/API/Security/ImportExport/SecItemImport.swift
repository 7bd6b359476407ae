internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The format of keys and certificates outside of the keychain. Source: Apple, `SecExternalFormat`.
public enum SecExternalFormat: UInt32, Sendable {
    /// Not known yet.
    case formatUnknown = 0
    /// A public or private key in OpenSSL's format.
    case formatOpenSSL, formatSSH, formatBSAFE, formatRawKey
    /// A private key, encrypted.
    case formatWrappedPKCS8, formatWrappedOpenSSL, formatWrappedSSH, formatWrappedLSH
    /// One certificate.
    case formatX509Cert
    /// Several objects in one file.
    case formatPEMSequence, formatPKCS7, formatPKCS12, formatNetscapeCertSequence, formatSSHv2
}

/// The kind of an object outside of the keychain. Source: Apple, `SecExternalItemType`.
public enum SecExternalItemType: UInt32, Sendable {
    /// Not known yet.
    case itemTypeUnknown = 0
    /// A key, a certificate, or several.
    case itemTypePrivateKey, itemTypePublicKey, itemTypeSessionKey, itemTypeCertificate, itemTypeAggregate
}

/// Options for the encoding. Source: Apple, `SecItemImportExportFlags`.
public struct SecItemImportExportFlags: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Flags by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// As PEM.
    public static let pemArmour = Self(rawValue: 1)
}

/// Parameters for importing and exporting keys. Source: Apple, `SecItemImportExportKeyParameters`.
@unsafe public struct SecItemImportExportKeyParameters {
    /// The version of this structure: 0.
    public var version: UInt32 = 0
    /// Bits of `SecKeyImportExportFlags`.
    public var flags: UInt32 = 0
    /// The passphrase.
    public var passphrase: Unmanaged<CFTypeRef>?
    /// Empty parameters.
    public init() {}
}

/// Reads keys and certificates of many forms: PEM, and DER of certificates, keys (PKCS #1, SEC 1, PKCS #8), PKCS #7
/// and PKCS #12; OpenSSH's private keys without a passphrase.
///
/// Nothing is put into the keychain: add the objects with `SecItemAdd` and `kSecValueRef`.
///
/// - Parameters:
///   - fileNameOrExtension: ignored; the bytes tell the format.
///   - inputFormat: receives the format.
///   - itemType: receives the kind: `itemTypeAggregate` for several kinds.
///   - flags: ignored.
///   - keyParams: the passphrase, a string or data.
///   - importKeychain: nil. Another value is refused with `errSecUnimplemented`, because nothing would be put there.
///   - outItems: receives an array of `SecCertificate`, `SecKey` and `SecIdentity`.
/// - Returns: `errSecSuccess`; `errSecUnknownFormat` for any other format; `errSecPassphraseRequired`;
///   `errSecPkcs12VerifyFailure` for a wrong passphrase. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecItemImport(
    _ importedData: CFData, _ fileNameOrExtension: CFString?, _ inputFormat: UnsafeMutablePointer<SecExternalFormat>?,
    _ itemType: UnsafeMutablePointer<SecExternalItemType>?, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ importKeychain: SecKeychain?,
    _ outItems: UnsafeMutablePointer<CFArray?>?
) -> OSStatus {
    reporting { () throws(Refusal) in
        if importKeychain != nil { throw .importsIntoNothing }
        let passphrase = try unsafe passphrase(keyParams)
        let file = try importedData.withSpan { (bytes) throws(Refusal) in
            try explained("importedData") { () throws(ExternalFailure) in
                try ExternalFile(bytes, passphrase: passphrase)
            }
        }
        unsafe inputFormat?.pointee = file.form.format
        unsafe itemType?.pointee = ExternalItem.type(of: file.items)
        unsafe outItems?.pointee = ItemResult.array(file.items.map(\.object))
        return nil
    }
}

/// Writes keys and certificates.
///
/// - Parameters:
///   - secItemOrArray: a `SecCertificate`, a `SecKey`, a `SecIdentity`, or an array of them.
///   - outputFormat: `formatX509Cert`, `formatOpenSSL`, `formatWrappedPKCS8`, `formatPKCS7` (certificates),
///     `formatPKCS12` (identities, private keys and certificates), `formatPEMSequence`; `formatUnknown` for the usual
///     one.
///   - flags: `pemArmour` for PEM.
///   - keyParams: the passphrase, a string or data. With a passphrase the result is encrypted.
///   - exportedData: receives the file.
/// - Returns: `errSecSuccess`; `errSecParam` for other objects; `errSecUnsupportedFormat` for a form that does not
///   hold them; `errSecPassphraseRequired`; `errSecUnimplemented` for a private key that does not leave the enclave.
@discardableResult
public func SecItemExport(
    _ secItemOrArray: CFTypeRef, _ outputFormat: SecExternalFormat, _ flags: SecItemImportExportFlags,
    _ keyParams: UnsafePointer<SecItemImportExportKeyParameters>?, _ exportedData: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        var writer = ExternalWriter(try externalItems(secItemOrArray))
        writer.isPEM = flags.contains(.pemArmour)
        writer.passphrase = try unsafe passphrase(keyParams)
        let form = try outputFormat.form()
        let file = try explained("outputFormat") { [writer] () throws(ExternalFailure) in try writer.file(as: form) }
        unsafe exportedData.pointee = file.withSpan { ReturnedData(copying: $0) }
        return nil
    }
}

private func passphrase(
    _ parameters: UnsafePointer<SecItemImportExportKeyParameters>?
) throws(Refusal) -> SecretBytes? {
    guard let given = unsafe parameters?.pointee.passphrase?.takeUnretainedValue() else { return nil }
    if let text = given as? String { return SecretBytes(copying: Array(text.utf8).span) }
    guard let data = given as? NSData else {
        throw Refusal(
            .param, .wrongType, "passphrase", "The passphrase is neither a string nor data.", do: "Give it a string.")
    }
    return data.withSpan { SecretBytes(copying: $0) }
}

private func externalItems(_ given: CFTypeRef) throws(Refusal) -> [ExternalItem] {
    let objects = (given as? NSArray).map { Array($0) as [AnyObject?] } ?? [given]
    var items: [ExternalItem] = []
    for object in objects {
        switch object {
        case let certificate as SecCertificate: items.append(.certificate(certificate.certificate))
        case let key as SecKey where key.material.keyClass == .public: items.append(.publicKey(key.material.publicKey))
        case let key as SecKey: items.append(.privateKey(try key.ownKey(for: "SecItemExport")))
        case let identity as SecIdentity:
            items.append(.identity(try identity.key.ownKey(for: "SecItemExport"), identity.certificate.certificate))
        default:
            throw Refusal(
                .param, .wrongType, "secItemOrArray", "An object is no key, certificate or identity.",
                do: "Give a result of SecItemCopyMatching with kSecReturnRef.")
        }
    }
    return items
}

extension SecExternalFormat {
    /// - Throws: `errSecUnsupportedFormat` for forms that are not written.
    fileprivate func form() throws(Refusal) -> ExternalForm? {
        switch self {
        case .formatUnknown: return nil
        case .formatX509Cert: return .x509
        case .formatOpenSSL: return .openSSL
        case .formatWrappedPKCS8: return .wrappedPKCS8
        case .formatPKCS7: return .pkcs7
        case .formatPKCS12: return .pkcs12
        case .formatPEMSequence: return .pemSequence
        case .formatSSH, .formatBSAFE, .formatRawKey, .formatWrappedOpenSSL, .formatWrappedSSH, .formatWrappedLSH,
            .formatNetscapeCertSequence, .formatSSHv2:
            throw ExternalFailure.unsupportedForm.refusal("outputFormat")
        }
    }
}

extension ExternalForm {
    fileprivate var format: SecExternalFormat {
        switch self {
        case .x509: .formatX509Cert
        case .openSSL: .formatOpenSSL
        case .pkcs8: .formatOpenSSL
        case .wrappedPKCS8: .formatWrappedPKCS8
        case .pkcs7: .formatPKCS7
        case .pkcs12: .formatPKCS12
        case .pemSequence: .formatPEMSequence
        case .openSSH: .formatSSHv2
        }
    }
}

extension ExternalItem {
    fileprivate var object: NSObject {
        switch self {
        case .certificate(let certificate): SecCertificate(certificate)
        case .privateKey(let key): SecKey(key)
        case .publicKey(let key): SecKey(key)
        case .identity(let key, let certificate): SecIdentity(SecCertificate(certificate), SecKey(key))
        }
    }

    fileprivate static func type(of items: [ExternalItem]) -> SecExternalItemType {
        let types = Set(items.map(\.type))
        return types.count == 1 ? types.first ?? .itemTypeUnknown : .itemTypeAggregate
    }

    private var type: SecExternalItemType {
        switch self {
        case .certificate: .itemTypeCertificate
        case .privateKey: .itemTypePrivateKey
        case .publicKey: .itemTypePublicKey
        case .identity: .itemTypeAggregate
        }
    }
}

private func explained<Result>(
    _ subject: String, _ body: () throws(ExternalFailure) -> Result
) throws(Refusal) -> Result {
    do throws(ExternalFailure) { return try body() } catch { throw error.refusal(subject) }
}

extension Refusal {
    fileprivate static let importsIntoNothing = Refusal(
        .unimplemented, .notImplemented, "importKeychain", "SecItemImport puts nothing into a keychain.",
        do: "Leave the keychain out, and add the objects with SecItemAdd, kSecValueRef and kSecUseKeychain.")
}
