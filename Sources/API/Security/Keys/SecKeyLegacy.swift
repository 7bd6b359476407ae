internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Signs with a private key. The older form of `SecKeyCreateSignature`.
///
/// - Parameters:
///   - padding: the form of the input. `PKCS1` with an elliptic curve key is ECDSA over the digest.
///   - dataToSign: a digest or a block; the caller hashes a message.
///   - sigLen: the capacity of `sig` in bytes; receives the size of the signature.
/// - Returns: `errSecSuccess`; `errSecParam` for a padding that does not fit the key, an input of the wrong size, or
///   too small a capacity. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafePointer<UInt8>, _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>, _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    reporting { () throws(Refusal) in
        // MD5 is refused for new signatures. Old ones are still verified.
        guard padding != .PKCS1MD5 else { throw .algorithmNotSupported("padding") }
        let (key, algorithm) = try key.private(padding.signature(key.material.type), .sign)
        let signature = try unsafe key.sign(input(dataToSign, dataToSignLen).span, algorithm)
        try unsafe hand(signature.span, to: sig, sigLen)
        return nil
    }
}

/// Verifies a signature with a public key. The older form of `SecKeyVerifySignature`.
///
/// - Parameters:
///   - padding: as for `SecKeyRawSign`.
///   - signedData: the digest or block that was signed.
/// - Returns: `errSecSuccess`; `errSSLCrypto` for a wrong signature; `errSecParam` for a padding that does not fit the
///   key, or data of the wrong size. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>, _ sigLen: Int
) -> OSStatus {
    reporting { () throws(Refusal) in
        let (half, algorithm) = try key.public(padding.signature(key.material.type), .verify)
        try key.mustBePublic(.sslCrypto)
        let data = try unsafe input(signedData, signedDataLen)
        let signature = try unsafe input(sig, sigLen)
        let verified = try explained(algorithm.name) { () throws(CryptoError) in
            try unsafe half.verify(signature.span, of: data.span, algorithm)
        }
        guard verified else { throw .signatureMismatch(.sslCrypto) }
        return nil
    }
}

/// Encrypts with an RSA public key. The older form of `SecKeyCreateEncryptedData`.
///
/// - Parameters:
///   - padding: none, `PKCS1` or `OAEP`.
///   - cipherTextLen: the capacity of `cipherText` in bytes; receives the size of the ciphertext.
/// - Returns: `errSecSuccess`; `errSecParam` for another key or padding, too large a plaintext, or too small a
///   capacity. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafePointer<UInt8>, _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>, _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    reporting { () throws(Refusal) in
        let (key, algorithm) = try key.public(padding.encryption, .encrypt)
        let plaintext = try unsafe input(plainText, plainTextLen)
        let ciphertext = try explained(algorithm.name) { () throws(CryptoError) in
            try unsafe key.encrypt(plaintext.span, algorithm)
        }
        try unsafe hand(ciphertext.span, to: cipherText, cipherTextLen)
        return nil
    }
}

/// Decrypts with an RSA private key. The older form of `SecKeyCreateDecryptedData`.
///
/// - Parameters:
///   - padding: none, `PKCS1` or `OAEP`; without padding leading zeros are left out.
///   - plainTextLen: the capacity of `plainText` in bytes; receives the size of the plaintext.
/// - Returns: `errSecSuccess`; `errSecParam` for another key or padding, a ciphertext for another key, or too small a
///   capacity. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafePointer<UInt8>, _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>, _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    reporting { () throws(Refusal) in
        guard let algorithm = padding.encryption else { throw .algorithmNotSupported("padding") }
        let ciphertext = try unsafe input(cipherText, cipherTextLen)
        let plaintext = try unsafe key.decrypt(ciphertext.span, SecKeyAlgorithm(constant: algorithm.constant))
        try plaintext.withSpan { (bytes) throws(Refusal) in try unsafe hand(bytes, to: plainText, plainTextLen) }
        return nil
    }
}

extension SecKey {
    fileprivate func `private`(
        _ algorithm: KeyAlgorithm?, _ operation: KeyOperation
    ) throws(Refusal) -> (any PrivateKeyOperations, KeyAlgorithm) {
        guard let algorithm else { throw .algorithmNotSupported("padding") }
        return try self.private(SecKeyAlgorithm(constant: algorithm.constant), operation)
    }

    fileprivate func `public`(
        _ algorithm: KeyAlgorithm?, _ operation: KeyOperation
    ) throws(Refusal) -> (PublicKey, KeyAlgorithm) {
        guard let algorithm else { throw .algorithmNotSupported("padding") }
        return try self.public(SecKeyAlgorithm(constant: algorithm.constant), operation)
    }
}

/// The caller's bytes, for the duration of the call.
private func input(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(Refusal) -> UnsafeBufferPointer<UInt8> {
    guard count >= 0 else {
        throw Refusal(.param, .keyInput, "length", "A length is negative.", do: "Give the number of bytes.")
    }
    return unsafe UnsafeBufferPointer(start: bytes, count: count)
}

/// Writes a result if the capacity suffices, and reports its size.
private func hand(
    _ result: Span<UInt8>, to place: UnsafeMutablePointer<UInt8>, _ room: UnsafeMutablePointer<Int>
) throws(Refusal) {
    guard unsafe result.count <= room.pointee else {
        throw Refusal(
            .param, .keyInput, "length", "The result has \(result.count) bytes, for which there is no room.",
            do: "Make room for SecKeyGetBlockSize bytes with RSA, for twice that and 9 with curves.")
    }
    for index in result.indices { unsafe place[index] = result[index] }
    unsafe room.pointee = result.count
}
