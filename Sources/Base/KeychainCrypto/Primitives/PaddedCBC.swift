package import LinuxSystem

/// Whole messages in cipher block chaining with PKCS#7 padding, for data of other programs: it does not authenticate.
package enum PaddedCBC {
    /// Encrypts a message with AES.
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes.
    ///   - iv: 16 bytes that no other message has.
    /// - Throws: `CryptoError.unsupportedKeySize`, `.invalidParameter` for an IV of another size, `.libraryFailure`.
    package static func encrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let output = try run(message, key, iv, encrypting: true, padding: true)
        return output.withSpan { $0.array(0, $0.count) }
    }

    /// Decrypts a message.
    ///
    /// - Throws: as ``encrypt(_:key:iv:)``; `CryptoError.authenticationFailed` for a message that is no sequence of
    ///   whole blocks, or whose padding is none.
    package static func decrypt(
        _ message: Span<UInt8>, key: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        guard message.count > 0, message.count % BlockCipher.aes.blockSize == 0 else { throw .authenticationFailed }
        do throws(CryptoError) { return try run(message, key, iv, encrypting: false, padding: true) } catch {
            throw error == .libraryFailure ? .authenticationFailed : error
        }
    }

    static func run(
        _ input: Span<UInt8>, _ key: Span<UInt8>, _ iv: Span<UInt8>, encrypting: Bool, padding: Bool
    ) throws(CryptoError) -> SecretBytes {
        guard iv.count == BlockCipher.aes.blockSize else { throw .invalidParameter }
        let context = try CipherContext(.aes, .cbc, encrypting: encrypting, padding: padding, key: key, iv: iv)
        let size = input.count + context.blockSize
        let buffer = SecretBuffer(capacity: size)
        var count = 0
        try buffer.append(count: size) { (span) throws(CryptoError) in
            try unsafe span.withUnsafeMutableBytes { (output) throws(CryptoError) in
                guard let start = output.baseAddress else { throw .libraryFailure }
                try unsafe input.withUnsafeBytes { (input) throws(CryptoError) in
                    count = try unsafe context.update(input, to: start)
                }
                count += try unsafe context.finish(to: start + count)
            }
        }
        buffer.truncate(to: count)
        return buffer.finish()
    }
}
