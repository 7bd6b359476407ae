internal import KeychainModel

/// A certificate and its private key. Immutable; any thread may use it. Source: Apple, `SecIdentity`.
public final class SecIdentity: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecIdentity.self)
    private let runtimeWord = SecIdentity.runtimeType.word

    let certificate: SecCertificate
    let key: SecKey

    /// Joins a certificate and a private key. The caller ensures that they belong together.
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

/// Returns an identity's private key: the key itself, or a handle to a key in the enclave.
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
///   - keychainOrArray: the keychain with the key, or an array of keychains; nil for that of the login.
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
    var query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrApplicationLabel: label,
        kSecReturnRef: true,
    ]
    if let keychainOrArray {
        query[kSecMatchSearchList] = keychainOrArray is SecKeychain ? NSArray(object: keychainOrArray) : keychainOrArray
    }
    let found: SessionItem?
    do throws(Refusal) { found = try KeychainSession.find(query as CFDictionary) } catch {
        return error.status.rawValue
    }
    guard let found, let privateKey = SecKey.object(for: found.item, found.use) as? SecKey,
        let identity = SecIdentityCreate(nil, certificateRef, privateKey)
    else { return errSecItemNotFound }
    unsafe identityRef.pointee = identity
    return errSecSuccess
}
