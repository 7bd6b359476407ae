/// A certificate and the private key it belongs to. Immutable; any thread may use it.
public final class SecIdentity: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.identity

    let certificate: SecCertificate
    let key: SecKey

    /// Joins a certificate and a private key; that they belong together is the caller's business.
    init(_ certificate: SecCertificate, _ key: SecKey) {
        self.certificate = certificate
        self.key = key
    }

    /// The certificate's description.
    public override var description: String { "<SecIdentityRef \(certificate.description)>" }

    /// Whether both have the same certificate and key.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return other.certificate == certificate && other.key == key
    }

    /// A hash that equal identities share.
    public override var hash: Int { certificate.hash }
}

/// Returns an identity's certificate.
///
/// - Parameter certificateRef: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.pointee = identityRef.certificate
    return errSecSuccess
}

/// Returns an identity's private key: the key itself, or a handle to one that cannot be seen.
///
/// - Parameter privateKeyRef: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.pointee = identityRef.key
    return errSecSuccess
}
