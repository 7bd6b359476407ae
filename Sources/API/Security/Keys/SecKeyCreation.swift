internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Makes a new key pair.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`; `kSecAttrTokenID` for the place of the private key.
///     Attributes at the top hold for both items; those under `kSecPrivateKeyAttrs` and `kSecPublicKeyAttrs` replace
///     them. A half whose `kSecAttrIsPermanent` is true is added to the keychain, the public one first. If one cannot
///     be added, neither is. A token's private key is permanent by default.
///   - error: receives, with the result nil, the problem and its remedy. `errSecParam`: no key fits the description.
///     `errSecUnimplemented`: the token makes no keys. Otherwise a status of `SecItemAdd`. The caller releases it.
/// - Returns: the private key; `SecKeyCopyPublicKey` gives the public one.
///
/// Sizes in bits: RSA 512 to 8192, curves 192, 224, 256, 384 and 521. A weak key is made, with a warning in the
/// system's log. Source: Apple, SecKeyCreateRandomKey; the sizes of its own tests.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe explaining(error) { () throws(Refusal) in try KeyGeneration(parameters).make() }
}

/// Makes a new key pair and gives both halves. The older form of `SecKeyCreateRandomKey`.
///
/// - Parameters:
///   - parameters: as for `SecKeyCreateRandomKey`.
///   - publicKey: receives the public key; may be nil.
///   - privateKey: receives the private key; may be nil.
/// - Returns: `errSecSuccess`, or the code of the error of `SecKeyCreateRandomKey`; ``SecCopyLastItemError()`` tells
///   more.
///
/// Source: Apple, SecKeyGeneratePair; rules keys.create.pair, keys.form.external.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    reporting { () throws(Refusal) in
        let key = try KeyGeneration(parameters).make()
        unsafe publicKey?.pointee = SecKey(key.material.publicKey)
        unsafe privateKey?.pointee = key
        return nil
    }
}

/// Makes a key from its external representation.
///
/// - Parameters:
///   - keyData: PKCS #1 for RSA, or `SubjectPublicKeyInfo` for a public key; 04 ‖ X ‖ Y for curves, and ‖ K for
///     private keys; 32 bytes for Ed25519 and X25519.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, as constants or numbers; the size follows from the data.
///     `kSecAttrTokenID` and `kSecAttrTokenOID`, which are among the attributes of a token's key, give a handle to that
///     key; then the data is ignored.
///   - error: receives, with the result nil, the problem and its remedy. `errSecParam`: attributes are missing, or the
///     size is not allowed. The same for data that is no such key, has bytes after it or is not on its curve. It also
///     stands for parts of different keys, and for an invalid name of a token's key. `errSecUnimplemented`: symmetric
///     keys, other tokens, or storing a key in a token. The caller releases it.
/// - Returns: the key, or nil.
///
/// Source: Apple, SecKeyCreateWithData; rule keys.form.external.
@discardableResult
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe explaining(error) { () throws(Refusal) in
        let description = try KeyDescription(attributes)
        let half = try description.keyClass()
        let type = try description.type()
        if let token = try description.tokenID() { return SecKey(try KeyToken.takeUp(description, token)) }
        return try keyData.withSpan { (bytes) throws(Refusal) in
            try explained("SecKeyCreateWithData") { () throws(CryptoError) in
                half == .private
                    ? SecKey(try PrivateKey(external: bytes, type: type))
                    : SecKey(try PublicKey.read(bytes, type))
            }
        }
    }
}

extension PublicKey {
    /// Reads a key as programs give or store it. Apple reads RSA keys from `SubjectPublicKeyInfo` (RFC 5280, 4.1.2.7)
    /// too, as `openssl rsa -pubout` writes them.
    static func read(_ bytes: Span<UInt8>, _ type: KeyType) throws(CryptoError) -> PublicKey {
        if type == .rsa, let key = try? PublicKey(subjectPublicKeyInfo: bytes), key.type == .rsa { return key }
        return try PublicKey(external: bytes, type: type)
    }
}
