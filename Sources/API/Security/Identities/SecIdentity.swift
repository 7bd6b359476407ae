/// A certificate and the private key it belongs to. Immutable; any thread may use it.
public final class SecIdentity: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecIdentity.self)
    private let runtimeWord = SecIdentity.runtimeType.word

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

/// Makes an identity of a certificate and its private key.
///
/// - Returns: the identity; nil when the key is not the certificate's.
@discardableResult
public func SecIdentityCreate(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ privateKey: SecKey
) -> SecIdentity? {
    guard let own = SecCertificateCopyKey(certificate), own == SecKeyCopyPublicKey(privateKey) else {
        return nil
    }
    return SecIdentity(certificate, privateKey)
}

/// Finds the private key of a certificate in the keychain.
///
/// - Parameters:
///   - keychainOrArray: of no meaning here; nil.
///   - certificateRef: the certificate; it need not be in the keychain itself.
///   - identityRef: receives the identity.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or what `SecItemCopyMatching` returns.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?, _ certificateRef: SecCertificate, _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    guard let key = SecCertificateCopyKey(certificateRef),
        let label = (SecKeyCopyAttributes(key) as? [CFString: Any])?[kSecAttrApplicationLabel]
    else { return errSecItemNotFound }
    let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrApplicationLabel: label,
        kSecReturnRef: true,
    ]
    var found: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as CFDictionary, &found)
    guard status == errSecSuccess else { return status }
    guard let privateKey = found as? SecKey, let identity = SecIdentityCreate(nil, certificateRef, privateKey) else {
        return errSecItemNotFound
    }
    unsafe identityRef.pointee = identity
    return errSecSuccess
}
