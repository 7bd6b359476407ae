package import KeychainModel
package import LinuxSystem

/// ECIES (rule keys.algorithm.ecies): ephemeral point ‖ AES-GCM of the content ‖ tag.
///
/// X9.63 derives the key from the shared X coordinate, with ephemeral point ‖ the caller's shared info. The IV is 16
/// zero bytes, or 16 more derived bytes. There is no associated data. Only the shared X coordinate needs a private key,
/// so another component may compute it.
package enum ECIES {
    /// The ephemeral point at the start of a message. The recipient's private key is exchanged with it.
    ///
    /// - Throws: `CryptoError.wrongInputSize` when the message is shorter than point and tag; `.unsupportedKeySize`.
    package static func ephemeralPoint(of message: Span<UInt8>, curveBits: Int) throws(CryptoError) -> [UInt8] {
        let size = try Curve(bits: curveBits).pointSize
        guard message.count >= size + AESGCM.tagSize else { throw .wrongInputSize }
        return message.array(0, size)
    }

    /// Decrypts a message with the X coordinate that the recipient's key and the ephemeral point share.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `.wrongInputSize` when the message is too short;
    ///   `.unsupportedAlgorithm` when the algorithm is not ECIES; `.invalidParameter`, `.libraryFailure`.
    package static func open(
        message: Span<UInt8>, sharedX: SecretBytes, curveBits: Int, _ algorithm: KeyAlgorithm,
        parameters: KeyParameters
    ) throws(CryptoError) -> SecretBytes {
        let scheme = try scheme(of: algorithm, parameters)
        let point = try ephemeralPoint(of: message, curveBits: curveBits)
        let cipher = try cipher(scheme, sharedX, point, parameters, curveBits: curveBits)
        return try cipher.open(box: message.extracting(point.count...), aad: Span())
    }

    /// Encrypts a message.
    static func seal(
        content: Span<UInt8>, for recipient: PublicKey, _ algorithm: KeyAlgorithm, parameters: KeyParameters
    ) throws(CryptoError) -> [UInt8] {
        let scheme = try scheme(of: algorithm, parameters)
        let ephemeral = try PrivateKey.generate(recipient.type, bits: recipient.bits)
        let point = ephemeral.publicKey.external()
        let cipher = try cipher(
            scheme, ephemeral.sharedX(with: recipient), point, parameters, curveBits: recipient.bits)
        return try cipher.seal(content: content, aad: Span(), after: point)
    }

    private static func scheme(
        of algorithm: KeyAlgorithm, _ parameters: KeyParameters
    ) throws(CryptoError) -> KeyAlgorithm.ECIES {
        guard case .encryption(.ecies(let scheme)) = algorithm.construction else { throw .unsupportedAlgorithm }
        try parameters.checkBounds()
        guard parameters.requestedSize == nil else { throw .invalidParameter }
        return scheme
    }

    private static func cipher(
        _ scheme: KeyAlgorithm.ECIES, _ sharedX: SecretBytes, _ point: [UInt8], _ parameters: KeyParameters,
        curveBits: Int
    ) throws(CryptoError) -> ContentCipher {
        let keySize = KeyAlgorithm.Encryption.contentKeySize(curveBits: curveBits)
        let info = point + parameters.sharedInfo
        let derived = try KeyAgreement.derive(
            from: sharedX, info: info.span, scheme.hash,
            count: keySize + (scheme.derivesIV ? ContentCipher.ivSize : 0))
        return try derived.withSpan { (derived) throws(CryptoError) in
            let iv = derived.extracting(keySize...)
            return try ContentCipher(key: derived.extracting(..<keySize), iv: scheme.derivesIV ? iv : nil)
        }
    }
}
