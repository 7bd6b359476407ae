import COpenSSL
package import LinuxSystem

/// HKDF with SHA-256 (RFC 5869): makes keys out of a key.
package enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - key: what is already unpredictable; a passcode is not, see ``Argon2id``.
    ///   - salt: public, may be empty.
    ///   - info: what the derived key is for, so that two purposes never share one.
    ///   - count: how many bytes, at most 8160.
    /// - Throws: `CryptoError.invalidParameter` for another count; `.libraryFailure`.
    package static func derive(
        from key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * 32).contains(count) else { throw .invalidParameter }
        let derived = SecretBytes(count: count)
        let context = try DerivationContext()
        try derived.withMutableSpan { (output) throws(CryptoError) in
            try context.derive(key, salt, info, into: &output)
        }
        return derived
    }
}

/// OpenSSL's derivation context, for one derivation.
@safe private final class DerivationContext {
    private let context: OpaquePointer

    init() throws(CryptoError) { unsafe context = try made(EVP_KDF_CTX_new(made(Algorithm.hkdf.reference))) }

    // Also wipes the key.
    deinit { unsafe EVP_KDF_CTX_free(context) }

    func derive(
        _ key: Span<UInt8>, _ salt: Span<UInt8>, _ info: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try unsafe withParameter(.key, key) { (key) throws(CryptoError) in
            try unsafe withParameter(.salt, salt) { (salt) throws(CryptoError) in
                try unsafe withParameter(.info, info) { (info) throws(CryptoError) in
                    try unsafe run([digestParameter(), key, salt, info, OSSL_PARAM_construct_end()], into: &output)
                }
            }
        }
    }

    private func run(_ parameters: [OSSL_PARAM], into output: inout MutableSpan<UInt8>) throws(CryptoError) {
        try unsafe output.withUnsafeMutableBufferPointer { (output) throws(CryptoError) in
            try succeed(unsafe EVP_KDF_derive(context, output.baseAddress, output.count, parameters))
        }
    }

    private func withParameter(
        _ name: ParameterText, _ value: Span<UInt8>, _ body: (OSSL_PARAM) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        try unsafe withAddress(of: value) { (start, count) throws(CryptoError) in
            try unsafe body(
                OSSL_PARAM_construct_octet_string(name.pointer, UnsafeMutableRawPointer(mutating: start), count))
        }
    }
}
