import COpenSSL
import KeychainModel
package import LinuxSystem

/// Private keys in the format that every other program reads: PKCS#8 `PrivateKeyInfo`, not encrypted (RFC 5208).
extension PrivateKey {
    /// Reads DER and computes the public point if it is left out.
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, for trailing bytes, or for parts that do not belong
    ///   together; `.unsupportedKeySize`, `.libraryFailure`.
    package convenience init(privateKeyInfo bytes: Span<UInt8>) throws(CryptoError) {
        try self.init(checking: Self.decode(bytes))
    }

    private static func decode(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        guard bytes.count <= RSAFormat.mostBytes else { throw .malformedKey }
        let info = try unsafe decoded(
            bytes, by: { unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }, orFree: PKCS8_PRIV_KEY_INFO_free)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe KeyHandle(reading: info)
    }

    /// Writes DER.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func privateKeyInfo() throws(CryptoError) -> SecretBytes {
        let info = unsafe try made(EVP_PKEY2PKCS8(handle.reference))
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe secretlyEncoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &$0) }
    }
}

extension KeyHandle {
    /// Reads the key in OpenSSL's object for PKCS#8, if its type and length are supported.
    ///
    /// The check comes before OpenSSL reads the key. OpenSSL computes the public half of a DSA or Diffie-Hellman key at
    /// once, with numbers of any size, which can take minutes.
    ///
    /// - Throws: `CryptoError.malformedKey`.
    convenience init(reading info: OpaquePointer) throws(CryptoError) {
        var algorithm: OpaquePointer?
        var (start, count): (UnsafePointer<UInt8>?, CInt) = (nil, 0)
        try succeed(unsafe PKCS8_pkey_get0(&algorithm, &start, &count, nil, info), or: .malformedKey)
        let number = unsafe OBJ_obj2nid(algorithm)
        guard KeyType.allCases.contains(where: { $0.format.algorithm == number }), count <= RSAFormat.mostBytes else {
            throw .malformedKey
        }
        try unsafe self.init(adopting: EVP_PKCS82PKEY(info))
    }
}
