internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Makes a new key pair.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` and `kSecAttrKeySizeInBits`; `kSecAttrTokenID` for where the private key is to be;
///     attributes of the items under `kSecPrivateKeyAttrs` and `kSecPublicKeyAttrs`, over what stands at the top for both.
///     A half whose `kSecAttrIsPermanent` is true is added to the keychain, the public one first; when one cannot be added,
///     neither is. A token's private key is permanent where nothing else is said.
///   - error: receives, with the result nil, what is wrong and what to do: `errSecParam` for a description that no key can
///     have, `errSecUnimplemented` for a token that makes no keys, and what `SecItemAdd` returns. The caller releases it.
/// - Returns: the private key; `SecKeyCopyPublicKey` gives the public one.
///
/// Sizes: RSA 512 to 8192, curves 192, 224, 256, 384 and 521; what is weak is made, with a warning in the system's log.
/// Source: Apple, SecKeyCreateRandomKey; the sizes of its own tests.
@discardableResult
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    unsafe explaining(error) { () throws(Refusal) in try KeyGeneration(parameters).make() }
}

/// Makes a new key pair and gives both halves. The older form of `SecKeyCreateRandomKey`.
///
/// - Parameters:
///   - parameters: as there.
///   - publicKey: receives the public key; may be nil.
///   - privateKey: receives the private key; may be nil.
/// - Returns: `errSecSuccess`, or what the error of `SecKeyCreateRandomKey` has as its code;
///   ``SecCopyLastItemError()`` tells more.
///
/// Source: S-40, semantics F.1.
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

/// Makes a key of its external representation.
///
/// - Parameters:
///   - keyData: PKCS #1 for RSA; 04 ‖ X ‖ Y for curves, and ‖ K for private keys; 32 bytes for Ed25519 and X25519.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`, as constants or numbers; the size follows from the data. With
///     `kSecAttrTokenID` and `kSecAttrTokenOID`, which are among the attributes of a token's key, that key is taken up again
///     and no data is looked at.
///   - error: receives, with the result nil, what is wrong and what to do: `errSecParam` for attributes that are missing,
///     data that is not such a key, has more behind it, is not on its curve or has parts that do not belong together, or a
///     size that is not allowed, or a token's name for a key that is none; `errSecUnimplemented` for symmetric keys, other
///     tokens, and keys that are to be put into one. The caller releases it.
/// - Returns: the key, or nil.
///
/// Source: semantics F.1.
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
                    : SecKey(try PublicKey(external: bytes, type: type))
            }
        }
    }
}
