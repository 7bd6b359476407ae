internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Signs with a private key.
///
/// - Parameters:
///   - dataToSign: the message for algorithms with that word in their name, otherwise a digest. If the algorithm names
///     a hash, the size is exactly that of its digest.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support or an input
///     of the wrong size. The caller releases it.
/// - Returns: the signature, or nil.
///
/// Source: Apple, SecKeyCreateSignature; rule keys.algorithm.table.
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

/// Verifies a signature with a public key. With an RSA private key no signature fits.
///
/// - Parameters:
///   - signedData: the message or digest, as for `SecKeyCreateSignature`.
///   - error: receives, with the result false, `errSecVerifyFailed` for a wrong signature; `errSecParam` for an
///     algorithm that the key does not support or data of the wrong size. The caller releases it.
///
/// Source: Apple, SecKeyVerifySignature; rule keys.form.external.
@discardableResult
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let verified: Void? = unsafe explaining(error) { () throws(Refusal) in
        let (half, algorithm) = try key.public(algorithm, .verify)
        try key.mustBePublic(.verifyFailed)
        guard try signedData.isSigned(signature, half, algorithm) else { throw .signatureMismatch(.verifyFailed) }
    }
    return verified != nil
}

/// Encrypts with a public key.
///
/// - Parameters:
///   - plaintext: as many bytes as the algorithm permits; algorithms with AES-GCM take up to 1 GiB.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support or too large
///     a plaintext. The caller releases it.
/// - Returns: the ciphertext, or nil.
///
/// Source: Apple, SecKeyCreateEncryptedData; rule keys.algorithm.table.
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

/// Decrypts with a private key. An RSA public key without padding inverts the operation of its private key.
///
/// - Parameters:
///   - ciphertext: the result of the same algorithm with the public key.
///   - error: receives, with the result nil, `errSecParam` for an algorithm that the key does not support. The same for
///     a ciphertext that was changed, or that was made for another key or algorithm. The caller releases it.
/// - Returns: the plaintext, or nil.
///
/// Source: Apple, SecKeyCreateDecryptedData; rule keys.algorithm.table.
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

/// Exchanges keys: computes the secret that a private key and another party's public key share.
///
/// - Parameters:
///   - parameters: `requestedSize` and optionally `sharedInfo` for algorithms with a key derivation; other algorithms
///     ignore them.
///   - error: receives, with the result nil, `errSecParam`. It stands for an algorithm that the key does not support, a
///     public key of another type or size, or parameters that do not fit the algorithm. The caller releases it.
/// - Returns: the shared X coordinate, or the derived key; nil after an error.
///
/// Source: Apple, SecKeyCopyKeyExchangeResult; rule keys.algorithm.table.
@discardableResult
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        let (key, algorithm) = try privateKey.private(algorithm, .keyExchange)
        let parameters = algorithm.derivesKeys ? try KeyParameters(parameters) : KeyParameters()
        let shared = try key.agree(with: publicKey.material.publicKey, algorithm, parameters)
        return shared.withSpan { ReturnedData(copying: $0) }
    }
}

extension SecKey {
    /// The operations of the private key, if it supports the algorithm.
    ///
    /// - Throws: `Refusal` with −50 if it does not.
    func `private`(
        _ algorithm: SecKeyAlgorithm, _ operation: KeyOperation
    ) throws(Refusal) -> (any PrivateKeyOperations, KeyAlgorithm) {
        guard let known = KeyAlgorithm(name: algorithm.name), material.supports(operation, known),
            let operations = material.privateOperations
        else { throw .algorithmNotSupported(algorithm.name) }
        return (operations, known)
    }

    /// Decrypts with the private key. A public RSA key inverts the operation of its private key.
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

    /// Refuses to verify with a private key.
    ///
    /// An RSA private key reports that it verifies. It would undo what its public half did, so no signature fits it.
    ///
    /// - Throws: `Refusal` with the status, which is that of a signature that does not fit.
    func mustBePublic(_ status: KeychainStatus) throws(Refusal) {
        guard material.keyClass == .public else { throw .privateKeyVerifies(status) }
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
    /// The signature does not match the data and this key.
    static func signatureMismatch(_ status: KeychainStatus) -> Refusal {
        Refusal(
            status, .keySignature, "signature", "The signature does not belong to this data and this key.",
            do: "Treat the data as not signed.")
    }

    /// A private key was given to verify with.
    static func privateKeyVerifies(_ status: KeychainStatus) -> Refusal {
        Refusal(
            status, .keySignature, "signature", "A private key verifies no signature, its own neither.",
            do: "Take the public key: SecKeyCopyPublicKey.")
    }
}
