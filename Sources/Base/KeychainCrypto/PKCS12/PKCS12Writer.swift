import COpenSSL
import KeychainModel
import LinuxSystem

/// Writes keys and certificates into a file encrypted with a passphrase (RFC 7292).
struct PKCS12Writer {
    private let keys: [PrivateKey]
    private let certificates: [Certificate]
    private let isLegacy: Bool

    /// The number of iterations over the passphrase: what OpenSSL uses for a passphrase that people type, times fifty.
    static let passes: CInt = 100_000
    /// Old programs do not read more for their MAC.
    private static let legacyPasses: CInt = 2048

    /// - Parameter isLegacy: whether programs must read it that know 3DES and SHA-1 alone.
    init(_ keys: [PrivateKey], _ certificates: [Certificate], isLegacy: Bool) {
        (self.keys, self.certificates, self.isLegacy) = (keys, certificates, isLegacy)
    }

    private var cipher: CInt { isLegacy ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : NID_aes_256_cbc }
    private var passes: CInt { isLegacy ? Self.legacyPasses : Self.passes }

    /// Writes DER.
    ///
    /// - Parameter passphrase: ends with a zero.
    /// - Throws: `CryptoError.libraryFailure`.
    func file(_ passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        defer { ERR_clear_error() }
        return try passphrase.withSpan { (span) throws(CryptoError) in
            try unsafe withCharacters(of: span) { (text, _) throws(CryptoError) in try unsafe file(text) }
        }
    }

    private func file(_ text: UnsafePointer<CChar>) throws(CryptoError) -> SecretBytes {
        var safes: OpaquePointer?
        defer {
            unsafe OPENSSL_sk_pop_free(safes) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) }
        }
        if !certificates.isEmpty { try unsafe addCertificates(to: &safes, text) }
        if !keys.isEmpty { try unsafe addKeys(to: &safes, text) }
        let made = try unsafe KeychainCrypto.made(PKCS12_add_safes(safes, 0))
        defer { unsafe PKCS12_free(made) }
        let digest = isLegacy ? Algorithm.digest(.sha1) : Algorithm.digest(.sha256)
        try succeed(unsafe PKCS12_set_mac(made, text, -1, nil, 0, passes, digest.reference))
        return try unsafe secretlyEncoded { unsafe i2d_PKCS12(made, &$0) }
    }

    /// The identifier of a pair is the digest of its public key.
    private func addCertificates(
        to safes: inout OpaquePointer?, _ text: UnsafePointer<CChar>
    ) throws(CryptoError) {
        var bags: OpaquePointer?
        defer { unsafe Self.free(bags) }
        let owned = Set(keys.map { $0.publicKey.external() })
        for certificate in certificates {
            let handle = try X509Handle(certificate)
            defer { extendLifetime(handle) }
            let bag = try unsafe KeychainCrypto.made(PKCS12_add_cert(&bags, handle.reference))
            guard owned.contains(certificate.publicKey) else { continue }
            try unsafe Self.name(bag, try certificate.publicKeyHash())
        }
        try succeed(unsafe PKCS12_add_safe(&safes, bags, cipher, passes, text))
    }

    private func addKeys(to safes: inout OpaquePointer?, _ text: UnsafePointer<CChar>) throws(CryptoError) {
        var bags: OpaquePointer?
        defer { unsafe Self.free(bags) }
        for key in keys {
            let bag = try unsafe KeychainCrypto.made(
                PKCS12_add_key(&bags, key.handle.reference, 0, passes, cipher, text))
            try unsafe Self.name(bag, try key.publicKey.applicationLabel())
        }
        // The keys are encrypted each by itself.
        try succeed(unsafe PKCS12_add_safe(&safes, bags, -1, 0, nil))
    }

    private static func name(_ bag: OpaquePointer, _ identifier: [UInt8]) throws(CryptoError) {
        var identifier = identifier
        try succeed(unsafe PKCS12_add_localkeyid(bag, &identifier, CInt(identifier.count)))
    }

    private static func free(_ bags: OpaquePointer?) {
        unsafe OPENSSL_sk_pop_free(bags) { unsafe PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) }
    }
}
