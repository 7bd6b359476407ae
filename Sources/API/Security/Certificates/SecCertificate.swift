internal import DER
internal import KeychainCrypto
internal import KeychainModel

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
/// - Returns: the certificate, or nil when the data is no certificate; ``SecCopyLastItemError()`` tells why then, and
///   where. A certificate proves nothing by itself: see `SecTrustCreateWithCertificates`.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    data.withSpan { bytes in
        try? noting { () throws(Refusal) in
            do throws(DERError) { return (SecCertificate(try Certificate(parsing: bytes)), nil) } catch {
                throw .notReadable(error)
            }
        }
    }
}

/// Returns a certificate's DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    NSData(copying: certificate.certificate.encoded)
}

/// Returns a certificate's public key.
///
/// - Returns: the key, or nil when the certificate has no key or one of an unsupported type; ``SecCopyLastItemError()``
///   tells which are supported then.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    try? noting { () throws(Refusal) in
        do throws(CryptoError) { return (SecKey(try certificate.certificate.subjectPublicKey()), nil) } catch {
            throw .noUsableKey
        }
    }
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

extension Refusal {
    fileprivate static func notReadable(_ error: DERError) -> Refusal {
        Refusal(
            .param, .keyData, "data", "The data is no certificate in DER: \(error.reason).",
            do: "Give one certificate in DER (RFC 5280) and nothing behind it; `openssl x509 -outform DER` writes that."
        )
    }

    fileprivate static let noUsableKey = Refusal(
        .param, .keyData, "SecCertificateCopyKey",
        "The certificate's key is malformed, or of a type that is not supported.",
        do: "Keys are RSA of 512 to 8192 bits, P-192, P-224, P-256, P-384, P-521, Ed25519 and X25519.")
}

extension NSData {
    /// Data with a copy of the bytes.
    convenience init(copying bytes: [UInt8]) { unsafe self.init(bytes: bytes, length: bytes.count) }
}
