package import KeychainModel
package import LinuxSystem

/// A private key with its public key. It signs, decrypts and agrees. Any thread may use it.
package final class PrivateKey: Sendable {
    package let publicKey: PublicKey
    let handle: KeyHandle

    package var type: KeyType { publicKey.type }
    /// The bits of the modulus or of the field.
    package var bits: Int { publicKey.bits }

    /// Makes a new key. RSA takes seconds above 4096 bits; its exponent is 65537.
    ///
    /// - Throws: `CryptoError.unsupportedKeySize` for a size that ``KeyType/isMade(bits:)`` refuses; `.libraryFailure`.
    package static func generate(_ type: KeyType, bits: Int) throws(CryptoError) -> PrivateKey {
        guard type.isMade(bits: bits) else { throw .unsupportedKeySize }
        return try PrivateKey(type.format.generate(bits: bits), type)
    }

    /// Reads a key in Apple's external representation: PKCS#1, 04 ‖ X ‖ Y ‖ K, or 32 bytes (rule keys.form.external).
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, for trailing bytes, or for parts that do not belong
    ///   together; `.unsupportedKeySize`, `.libraryFailure`.
    package convenience init(external: Span<UInt8>, type: KeyType) throws(CryptoError) {
        try self.init(type.format.decodePrivate(external), type)
    }

    /// Takes a key that OpenSSL has read from another format, and applies all checks of an imported key.
    ///
    /// - Throws: `CryptoError.malformedKey`, `.unsupportedKeySize`, `.libraryFailure`.
    convenience init(checking read: KeyHandle) throws(CryptoError) {
        guard let type = KeyType.of(read) else { throw .malformedKey }
        let external = try type.format.encodePrivate(read)
        let checked = try external.withSpan { (bytes) throws(CryptoError) in try type.format.decodePrivate(bytes) }
        try self.init(checked, type)
    }

    private init(_ handle: KeyHandle, _ type: KeyType) throws(CryptoError) {
        self.handle = handle
        let external = try type.format.encodePublic(handle)
        publicKey = try PublicKey(external: external.span, type: type)
    }

    /// Apple's external representation, which contains the private key.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func external() throws(CryptoError) -> SecretBytes { try type.format.encodePrivate(handle) }
}
