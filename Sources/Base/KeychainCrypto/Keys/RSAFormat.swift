import COpenSSL
import KeychainModel
import LinuxSystem

/// RSA keys as PKCS#1 `RSAPublicKey` and `RSAPrivateKey` (RFC 8017, appendix A.1).
struct RSAFormat: KeyFormat {
    let kind = "RSA"
    let algorithm = NID_rsaEncryption
    /// A private key of 8192 bits has 4.7 KB.
    static let mostBytes = 8192
    /// OpenSSL refuses a longer exponent with a large modulus, because it would make verifying as slow as signing.
    static let mostExponentBits = 64

    func bits(of key: KeyHandle) -> Int { key.bits }

    func generate(bits: Int) throws(CryptoError) -> KeyHandle {
        let context = try KeyContext(making: kind)
        try succeed(unsafe EVP_PKEY_keygen_init(context.reference))
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context.reference, CInt(bits)))
        var key: OpaquePointer?
        try succeed(unsafe EVP_PKEY_generate(context.reference, &key))
        return try unsafe KeyHandle(adopting: key)
    }

    func encodePublic(_ key: KeyHandle) throws(CryptoError) -> [UInt8] {
        try unsafe encoded { unsafe i2d_PublicKey(key.reference, &$0) }
    }

    func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> SecretBytes {
        try unsafe secretlyEncoded { unsafe i2d_PrivateKey(key.reference, &$0) }
    }

    // The comparison with the written form excludes other formats, other encodings and trailing bytes.

    func decodePublic(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        let key = try unsafe decodedKey(bytes) { unsafe d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) }
        let written = try encodePublic(key)
        guard written.span.isEqual(to: bytes) else { throw .malformedKey }
        try checkPublic(key)
        return key
    }

    func decodePrivate(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        // This check comes first, because OpenSSL would otherwise also read PKCS#8, and with it keys of other
        // algorithms.
        guard hasTwoPrimes(bytes) else { throw .malformedKey }
        let key = try unsafe decodedKey(bytes) { unsafe d2i_PrivateKey(EVP_PKEY_RSA, nil, &$0, $1) }
        guard key.isA(kind) else { throw .malformedKey }
        let written = try encodePrivate(key)
        guard written.withSpan({ $0.isEqual(to: bytes) }) else { throw .malformedKey }
        try checkPublic(key)
        try checkFactors(key)
        return key
    }

    /// Checks for `SEQUENCE (long length) { version INTEGER 0, modulus INTEGER, …`. Any other version has more primes,
    /// or is one that OpenSSL ignores.
    private func hasTwoPrimes(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 7 && bytes[1] == 0x82 && bytes[4] == 2 && bytes[5] == 1 && bytes[6] == 0 && bytes[7] == 2
    }

    private func checkPublic(_ key: KeyHandle) throws(CryptoError) {
        let modulus = try key.number(OSSL_PKEY_PARAM_RSA_N)
        let exponent = try key.number(OSSL_PKEY_PARAM_RSA_E)
        guard KeyType.rsa.allows(bits: modulus.bits) else { throw .unsupportedKeySize }
        guard modulus.isOdd, exponent.isOdd, !exponent.isOne, exponent.bits <= Self.mostExponentBits
        else { throw .malformedKey }
    }

    /// Checks that n = pq, that ed ≡ 1 modulo p-1 and q-1, and that the numbers for the Chinese remainder belong to
    /// them (RFC 8017, 3.2). It does not check that p and q are primes: that takes up to a second, and a wrong answer
    /// harms only the key's owner.
    private func checkFactors(_ key: KeyHandle) throws(CryptoError) {
        let p = try key.number("rsa-factor1")
        let q = try key.number("rsa-factor2")
        guard p.isOdd, q.isOdd, !p.isOne, !q.isOne else { throw .malformedKey }
        let arithmetic = try BigArithmetic()
        let inverse = try key.number("rsa-coefficient1")
        guard try arithmetic.product(p, q) == key.number(OSSL_PKEY_PARAM_RSA_N),
            try arithmetic.product(inverse, q, modulo: p).isOne
        else { throw .malformedKey }
        try check(p, key.number("rsa-exponent1"), of: key, arithmetic)
        try check(q, key.number("rsa-exponent2"), of: key, arithmetic)
    }

    private func check(
        _ factor: BigNumber, _ reduced: BigNumber, of key: KeyHandle, _ arithmetic: BigArithmetic
    ) throws(CryptoError) {
        let order = try arithmetic.predecessor(factor)
        let exponent = try key.number(OSSL_PKEY_PARAM_RSA_E)
        guard try arithmetic.remainder(key.number(OSSL_PKEY_PARAM_RSA_D), modulo: order) == reduced,
            try arithmetic.product(exponent, reduced, modulo: order).isOne
        else { throw .malformedKey }
    }
}
