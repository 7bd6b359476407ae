import COpenSSL
import KeychainModel
package import LinuxSystem

/// Private keys encrypted with a passphrase: PKCS#8 `EncryptedPrivateKeyInfo` (RFC 5208, RFC 8018), which every other
/// program reads.
extension PrivateKey {
    /// Iterations of PBKDF2 with HMAC-SHA256: about a third of a second for each passphrase that is tried.
    private static let passes: CInt = 600_000
    private static let saltSize: CInt = 16
    private static let mostPassphraseBytes = 4096

    /// Writes DER: PBES2 with PBKDF2 and AES-256-CBC.
    ///
    /// - Throws: `CryptoError.invalidParameter` for a passphrase of more than 4096 bytes; `.libraryFailure`.
    package func encryptedPrivateKeyInfo(_ passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        guard passphrase.count <= Self.mostPassphraseBytes else { throw .invalidParameter }
        let info = unsafe try made(EVP_PKEY2PKCS8(handle.reference))
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let sealed = try unsafe passphrase.withCharacters { (text, count) throws(CryptoError) in
            try unsafe made(
                PKCS8_encrypt(-1, EVP_aes_256_cbc(), text, count, nil, Self.saltSize, Self.passes, info))
        }
        defer { unsafe X509_SIG_free(sealed) }
        return try unsafe secretlyEncoded { unsafe i2d_X509_SIG(sealed, &$0) }
    }

    /// Reads DER.
    ///
    /// - Throws: `CryptoError.malformedKey` for bytes that are not an encrypted key, or that demand more iterations
    ///   than are allowed; `.authenticationFailed` for a wrong passphrase; the errors of ``init(privateKeyInfo:)``.
    package convenience init(
        encryptedPrivateKeyInfo bytes: Span<UInt8>, _ passphrase: SecretBytes
    ) throws(CryptoError) {
        try self.init(checking: Self.decrypt(bytes, passphrase))
    }

    private static func decrypt(_ bytes: Span<UInt8>, _ passphrase: SecretBytes) throws(CryptoError) -> KeyHandle {
        guard bytes.count <= RSAFormat.mostBytes, passphrase.count <= mostPassphraseBytes else { throw .malformedKey }
        let sealed = try unsafe decoded(bytes, by: { unsafe d2i_X509_SIG(nil, &$0, $1) }, orFree: X509_SIG_free)
        defer { unsafe X509_SIG_free(sealed) }
        try unsafe checkWork(of: sealed)
        let info = unsafe passphrase.withCharacters { text, count in unsafe PKCS8_decrypt(sealed, text, count) }
        guard let info = unsafe info else {
            ERR_clear_error()
            throw .authenticationFailed
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe KeyHandle(reading: info)
    }

    private static func checkWork(of sealed: OpaquePointer) throws(CryptoError) {
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(sealed, &algorithm, nil)
        do throws(DerivationWork.Failure) {
            let passes = try unsafe DerivationWork.passes(of: algorithm)
            guard passes <= DerivationWork.mostPasses else { throw .tooLarge }
        } catch { throw .malformedKey }
    }
}

extension SecretBytes {
    /// Lends the bytes in the type that OpenSSL takes for passphrases.
    fileprivate func withCharacters<Result, Failure: Error>(
        _ body: (UnsafePointer<CChar>, CInt) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withSpan { (span) throws(Failure) in
            try unsafe KeychainCrypto.withCharacters(of: span) { (text, count) throws(Failure) in
                try unsafe body(text, CInt(count))
            }
        }
    }
}
