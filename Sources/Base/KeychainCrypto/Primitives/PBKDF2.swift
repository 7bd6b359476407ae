import COpenSSL
package import KeychainModel

/// PBKDF2 (RFC 8018) with HMAC, for keys that other programs derive with it. The keychain's own passcodes go through
/// ``Argon2id``.
package enum PBKDF2 {
    /// Derives a key from a password.
    ///
    /// - Parameters:
    ///   - password: of any size.
    ///   - salt: public, of any size.
    ///   - rounds: from 1 to 2³¹ − 1.
    ///   - key: receives the key, of 1 to 2³¹ − 1 bytes.
    /// - Throws: `CryptoError.invalidParameter` for another number or size; `.libraryFailure`.
    package static func derive(
        from password: Span<UInt8>, salt: Span<UInt8>, rounds: UInt32, _ hash: HashFunction,
        into key: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        guard let rounds = CInt(exactly: rounds), rounds > 0, let size = CInt(exactly: key.count), size > 0,
            let passwordSize = CInt(exactly: password.count), let saltSize = CInt(exactly: salt.count)
        else { throw .invalidParameter }
        let digest = unsafe try made(Algorithm.digest(hash).reference)
        try unsafe key.withUnsafeMutableBufferPointer { (key) throws(CryptoError) in
            try unsafe withAddress(of: salt) { (salt, _) throws(CryptoError) in
                try unsafe withCharacters(of: password) { (password, _) throws(CryptoError) in
                    try succeed(
                        unsafe PKCS5_PBKDF2_HMAC(
                            password, passwordSize, salt, saltSize, rounds, digest, size, key.baseAddress))
                }
            }
        }
    }
}
