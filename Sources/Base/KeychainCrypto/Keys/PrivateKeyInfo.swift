import COpenSSL
package import LinuxSystem

/// Private keys in the format that every other program reads: PKCS#8 `PrivateKeyInfo`, not encrypted (RFC 5208).
extension PrivateKey {
    /// Reads DER; a public point that is left out is computed.
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, or more, or parts that do not belong together;
    ///   `.unsupportedKeySize`, `.libraryFailure`.
    package convenience init(privateKeyInfo bytes: Span<UInt8>) throws(CryptoError) {
        try self.init(checking: Self.decode(bytes))
    }

    private static func decode(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        guard bytes.count <= RSAFormat.mostBytes else { throw .malformedKey }
        let info = try unsafe decoded(
            bytes, by: { unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &$0, $1) }, orFree: PKCS8_PRIV_KEY_INFO_free)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe KeyHandle(adopting: EVP_PKCS82PKEY(info))
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
