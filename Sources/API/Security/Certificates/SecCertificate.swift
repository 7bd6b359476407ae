internal import KeychainCrypto

/// An X.509 certificate. Immutable; any thread may use it. Two are equal when their bytes are. Source: Apple,
/// `SecCertificate`; RFC 5280.
public final class SecCertificate: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecCertificate.self)
    private let runtimeWord = SecCertificate.runtimeType.word

    let certificate: Certificate

    init(_ certificate: Certificate) { self.certificate = certificate }

    /// The subject's and the issuer's name.
    public override var description: String {
        let issuer = certificate.issuer.attributes.last?.text ?? ""
        return "<SecCertificateRef s: \(certificate.subjectSummary) i: \(issuer)>"
    }

    /// Whether both are the same certificate.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.certificate == certificate
    }

    /// A hash that equal certificates share.
    public override var hash: Int { certificate.hashValue }
}

/// Reads a certificate.
///
/// - Parameters:
///   - allocator: ignored.
///   - data: DER (RFC 5280), exactly one certificate and nothing behind it.
/// - Returns: the certificate, or nil when the data is no certificate. A certificate proves nothing by itself: see
///   `SecTrustCreateWithCertificates`.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    data.withSpan { try? Certificate(parsing: $0) }.map(SecCertificate.init)
}

/// Returns a certificate's DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    NSData(copying: certificate.certificate.encoded)
}

/// Returns a certificate's public key.
///
/// - Returns: the key, or nil when the certificate has no key or one of an unsupported type.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    (try? certificate.certificate.subjectPublicKey()).map { SecKey($0) }
}

/// Returns a certificate's public key, under the name it had before iOS 12.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }

/// Returns a certificate's public key, as on macOS before 10.14.
///
/// - Returns: `errSecSuccess`, or `errSecUnsupportedKeyFormat` when there is no key of a supported type; then `key` is
///   nil.
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate, _ key: UnsafeMutablePointer<SecKey?>) -> OSStatus
{
    let found = SecCertificateCopyKey(certificate)
    unsafe key.pointee = found
    return found == nil ? errSecUnsupportedKeyFormat : errSecSuccess
}

extension NSData {
    /// Data with a copy of the bytes.
    convenience init(copying bytes: [UInt8]) { unsafe self.init(bytes: bytes, length: bytes.count) }
}
