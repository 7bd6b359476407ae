import COpenSSL
package import KeychainModel
import LinuxSystem

/// Digests without a key.
package enum Digest {
    /// SHA-256 (FIPS 180-4).
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package static func sha256(_ message: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var span = digest.mutableSpan
        try compute(.digest(.sha256), message, into: &span)
        return digest
    }

    /// SHA-256 of a secret, in whose place the digest stands.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    static func sha256(secret: SecretBytes) throws(CryptoError) -> SecretBytes {
        let digest = SecretBytes(count: HashFunction.sha256.size)
        try secret.withSpan { (secret) throws(CryptoError) in
            try digest.withMutableSpan { (span) throws(CryptoError) in
                try compute(.digest(.sha256), secret, into: &span)
            }
        }
        return digest
    }

    /// The digest with any hash function that signatures use.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package static func of(_ message: Span<UInt8>, _ hash: HashFunction) throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: hash.size)
        var span = digest.mutableSpan
        try compute(.digest(hash), message, into: &span)
        return digest
    }

    private static func compute(
        _ algorithm: Algorithm, _ message: Span<UInt8>, into digest: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let reference = unsafe try made(algorithm.reference)
        try unsafe digest.withUnsafeMutableBufferPointer { (digest) throws(CryptoError) in
            try unsafe withAddress(of: message) { (start, count) throws(CryptoError) in
                try succeed(unsafe EVP_Digest(start, count, digest.baseAddress, nil, reference, nil))
            }
        }
    }
}
