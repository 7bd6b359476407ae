internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Signs with a private key (S-43).
///
/// - Parameters:
///   - dataToSign: the message for algorithms named so; for the others a digest, of exactly the digest's length where the
///     algorithm names a hash.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support or an input of the
///     wrong size. The caller releases it.
/// - Returns: the signature, or nil.
///
/// Source: semantics F.3.
@discardableResult
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        let (key, algorithm) = try key.private(algorithm, .sign)
        let signature = try dataToSign.withSpan { (input) throws(Refusal) in try key.sign(input, algorithm) }
        return ReturnedData(copying: signature.span)
    }
}

/// Verifies a signature with a public key.
///
/// - Parameters:
///   - signedData: what was signed, as for `SecKeyCreateSignature`.
///   - error: receives, with the result false, `errSecVerifyFailed` for a signature that is none of this data by this key;
///     `errSecParam` for an algorithm that the key does not support or data of the wrong size. The caller releases it.
///
/// Source: semantics F.1.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let verified: Void? = unsafe explaining(error) { () throws(Refusal) in
        let (key, algorithm) = try key.public(algorithm, .verify)
        guard try signedData.isSigned(signature, key, algorithm) else { throw .signatureMismatch(.verifyFailed) }
    }
    return verified != nil
}

/// Encrypts with a public key.
///
/// - Parameters:
///   - plaintext: as much as the algorithm takes; those with AES-GCM take any amount up to 1 GiB.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support or too large a
///     plaintext. The caller releases it.
/// - Returns: the ciphertext, or nil.
///
/// Source: semantics F.3.
@discardableResult
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        let (key, algorithm) = try key.public(algorithm, .encrypt)
        let ciphertext = try plaintext.withSpan { (input) throws(Refusal) in
            try explained(algorithm.name) { () throws(CryptoError) in try key.encrypt(input, algorithm) }
        }
        return ReturnedData(copying: ciphertext.span)
    }
}

/// Decrypts with a private key; with an RSA public key, and no padding, what the private key was applied to.
///
/// - Parameters:
///   - ciphertext: what was encrypted with the same algorithm for the public key.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support, or a ciphertext
///     that was not made for this key and algorithm, or was changed. The caller releases it.
/// - Returns: the plaintext, or nil.
///
/// Source: semantics F.3.
@discardableResult
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        let plaintext = try ciphertext.withSpan { (input) throws(Refusal) in try key.decrypt(input, algorithm) }
        return plaintext.withSpan { ReturnedData(copying: $0) }
    }
}

/// Exchanges keys: makes of one's own private key and another's public key the secret that both can make.
///
/// - Parameters:
///   - parameters: `requestedSize` and, if there is one, `sharedInfo` for algorithms with a key derivation; others ignore them.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support, a peer's key of
///     another type or size, or parameters that do not go with the algorithm. The caller releases it.
/// - Returns: the shared X coordinate, or the derived key; nil.
///
/// Source: semantics F.3.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        let (key, algorithm) = try privateKey.private(algorithm, .keyExchange)
        let parameters = try KeyParameters(parameters)
        let shared = try key.agree(with: publicKey.material.publicKey, algorithm, parameters)
        return shared.withSpan { ReturnedData(copying: $0) }
    }
}

extension SecKey {
    /// Where the private key is used, when it supports the algorithm.
    ///
    /// - Throws: `Refusal` with −50 when it does not.
    func `private`(
        _ algorithm: SecKeyAlgorithm, _ operation: KeyOperation
    ) throws(Refusal) -> (any PrivateKeyOperations, KeyAlgorithm) {
        guard let known = KeyAlgorithm(name: algorithm.name), material.supports(operation, known),
            let operations = material.privateOperations
        else { throw .algorithmNotSupported(algorithm.name) }
        return (operations, known)
    }

    /// Decrypts where the private key is; a public RSA key goes back from what the private one has made.
    ///
    /// - Throws: `Refusal` with −50 when the key does not support the algorithm, or the input was not made for it.
    func decrypt(_ input: Span<UInt8>, _ algorithm: SecKeyAlgorithm) throws(Refusal) -> SecretBytes {
        guard material.keyClass == .public else {
            let (key, algorithm) = try self.private(algorithm, .decrypt)
            return try key.decrypt(input, algorithm)
        }
        let (key, known) = try self.public(algorithm, .decrypt)
        return try explained(algorithm.name) { () throws(CryptoError) in try key.recover(input, known) }
    }

    /// The public key, when it supports the algorithm.
    ///
    /// - Throws: `Refusal` with −50 when it does not.
    func `public`(
        _ algorithm: SecKeyAlgorithm, _ operation: KeyOperation
    ) throws(Refusal) -> (PublicKey, KeyAlgorithm) {
        guard let known = KeyAlgorithm(name: algorithm.name), material.supports(operation, known) else {
            throw .algorithmNotSupported(algorithm.name)
        }
        return (material.publicKey, known)
    }
}

extension NSData {
    fileprivate func isSigned(
        _ signature: NSData, _ key: PublicKey, _ algorithm: KeyAlgorithm
    ) throws(Refusal) -> Bool {
        try withSpan { (input) throws(Refusal) in
            try signature.withSpan { (signature) throws(Refusal) in
                try explained(algorithm.name) { () throws(CryptoError) in
                    try key.verify(signature, of: input, algorithm)
                }
            }
        }
    }
}

extension Refusal {
    /// The signature is none of this data by this key.
    static func signatureMismatch(_ status: KeychainStatus) -> Refusal {
        Refusal(
            status, .keySignature, "signature", "The signature does not belong to this data and this key.",
            do: "Treat the data as not signed.")
    }
}
