// The certificate functions that macOS has and iOS has not.

/// The permitted uses of a certificate's key, as policies and match keys take them. Source: Apple, `SecKeyUsage`; RFC
/// 5280, 4.2.1.3.
public struct SecKeyUsage: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Usages by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Signatures, such as those of a handshake.
    public static let digitalSignature = Self(rawValue: 1)
    /// Signatures that are meant to bind the signer.
    public static let nonRepudiation = Self(rawValue: 1 << 1)
    /// The same, by its newer name.
    public static let contentCommitment = Self(rawValue: 1 << 1)
    /// Encryption of keys.
    public static let keyEncipherment = Self(rawValue: 1 << 2)
    /// Encryption of data.
    public static let dataEncipherment = Self(rawValue: 1 << 3)
    /// Agreement on keys.
    public static let keyAgreement = Self(rawValue: 1 << 4)
    /// Signatures of certificates.
    public static let keyCertSign = Self(rawValue: 1 << 5)
    /// Signatures of revocation lists.
    public static let crlSign = Self(rawValue: 1 << 6)
    /// Agreement in order to encrypt only.
    public static let encipherOnly = Self(rawValue: 1 << 7)
    /// Agreement in order to decrypt only.
    public static let decipherOnly = Self(rawValue: 1 << 8)
    /// A program that does not know the usage must not use the key.
    public static let critical = Self(rawValue: 1 << 31)
    /// Everything.
    public static let all = Self(rawValue: 0x7FFF_FFFF)
}

/// Returns the issuer's name in the form in which names are compared, under macOS's name.
///
/// - Parameter error: never set.
@discardableResult
public func SecCertificateCopyNormalizedIssuerContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecCertificateCopyNormalizedIssuerSequence(certificate)
}

/// Returns the subject's name in the form in which names are compared, under macOS's name.
///
/// - Parameter error: never set.
@discardableResult
public func SecCertificateCopyNormalizedSubjectContent(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    SecCertificateCopyNormalizedSubjectSequence(certificate)
}

/// Returns a name of the certificate for people.
///
/// - Parameter error: never set.
/// - Returns: as `SecCertificateCopySubjectSummary`.
@discardableResult
public func SecCertificateCopyShortDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    SecCertificateCopySubjectSummary(certificate)
}

/// Returns all fields of a certificate for people. Not implemented.
///
/// - Parameter error: receives `errSecUnimplemented`.
/// - Returns: nil.
@discardableResult
public func SecCertificateCopyLongDescription(
    _ alloc: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFString? {
    unsafe notHere("`openssl x509 -text` shows all of a certificate.", error)
}

/// Returns fields of a certificate by their object identifiers. Not implemented.
///
/// - Parameter error: receives `errSecUnimplemented`.
/// - Returns: nil.
@discardableResult
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFDictionary? {
    unsafe notHere("use the functions for single fields.", error)
}
