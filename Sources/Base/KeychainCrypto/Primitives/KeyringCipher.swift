import KeychainModel
package import LinuxSystem

/// The encryption of gnome-keyring's files: AES-128 in cipher block chaining, with a key from a password. It does not
/// authenticate: a digest in front of the text tells a wrong password, and nothing more.
package enum KeyringCipher {
    /// More rounds than any file that gnome-keyring writes has, by a thousand times.
    private static let mostIterations = 1 << 22
    private static let digestSize = 16

    /// Decrypts the part of a file that has the values.
    ///
    /// - Parameters:
    ///   - salt: 8 bytes.
    ///   - iterations: how often SHA-256 is applied to the password.
    /// - Returns: the text behind the digest.
    /// - Throws: `CryptoError.authenticationFailed` for a wrong password and for a damaged file;
    ///   `.invalidParameter` for a number of rounds that no file has; `.libraryFailure`.
    package static func decrypt(
        _ message: Span<UInt8>, password: SecretBytes, salt: Span<UInt8>, iterations: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...mostIterations).contains(iterations) else { throw .invalidParameter }
        guard message.count > 0, message.count % BlockCipher.aes.blockSize == 0 else { throw .authenticationFailed }
        let seed = SecretBuffer(capacity: password.count + salt.count)
        password.withSpan { seed.append($0) }
        seed.append(salt)
        var digest = try Digest.sha256(secret: seed.finish())
        for _ in 1..<iterations { digest = try Digest.sha256(secret: digest) }
        let text = try digest.withSpan { (digest) throws(CryptoError) in
            try PaddedCBC.run(
                message, digest.extracting(..<16), digest.extracting(16...), encrypting: false, padding: false)
        }
        return try checked(text)
    }

    private static func checked(_ text: SecretBytes) throws(CryptoError) -> SecretBytes {
        let found = try text.withSpan { (text) throws(CryptoError) in
            try Digest.of(text.extracting(digestSize...), .md5)
        }
        let isRight = text.withSpan { found.span.isEqual(to: $0.extracting(..<digestSize)) }
        guard isRight else { throw .authenticationFailed }
        return text.withSpan { SecretBytes(copying: $0.extracting(digestSize...)) }
    }
}
