import KeychainModel
package import LinuxSystem

/// HKDF with SHA-256 (RFC 5869): derives keys from a key.
package enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - key: an unpredictable key; a passcode is not, see ``Argon2id``.
    ///   - salt: public, may be empty.
    ///   - info: the purpose of the derived key, so that two purposes never share one.
    ///   - count: the number of bytes, at most 8160.
    /// - Throws: `CryptoError.invalidParameter` for another count; `.libraryFailure`.
    package static func derive(
        from key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        try run(nil, key, salt: salt, info: info, count: count)
    }

    /// The first step alone (RFC 5869, 2.2): a pseudorandom key of 32 bytes.
    ///
    /// - Parameter key: not empty.
    /// - Throws: `CryptoError.libraryFailure`.
    static func extract(from key: Span<UInt8>, salt: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        try run(.extractOnly, key, salt: salt, info: Span(), count: HashFunction.sha256.size)
    }

    /// The second step alone (RFC 5869, 2.3).
    ///
    /// - Parameters:
    ///   - key: a pseudorandom key.
    ///   - count: the number of bytes, at most 8160.
    /// - Throws: `CryptoError.invalidParameter` for another count; `.libraryFailure`.
    static func expand(_ key: Span<UInt8>, info: Span<UInt8>, count: Int) throws(CryptoError) -> SecretBytes {
        try run(.expandOnly, key, salt: Span(), info: info, count: count)
    }

    private static func run(
        _ step: ParameterText?, _ key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...255 * 32).contains(count) else { throw .invalidParameter }
        let derived = SecretBytes(count: count)
        let context = try DerivationContext(.hkdf)
        try derived.withMutableSpan { (output) throws(CryptoError) in
            try context.derive(key, salt: salt, info: info, hash: .sha256, step: step, into: &output)
        }
        return derived
    }
}
