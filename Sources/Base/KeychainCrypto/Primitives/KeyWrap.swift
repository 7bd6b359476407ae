package import LinuxSystem

/// AES Key Wrap (RFC 3394): a key under another key.
package enum KeyWrap {
    /// The number of bytes that wrapping adds to a key.
    package static let overhead = 8
    /// Keys and their wrapping keys are short; 64 KiB is far above any.
    package static let mostBytes = 1 << 16

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: of 16 bytes or more, a multiple of 8.
    ///   - wrappingKey: 16, 24 or 32 bytes.
    ///   - iv: 8 bytes; empty for the RFC's own value.
    /// - Throws: `CryptoError.wrongInputSize` for a key of another size; the errors of ``CipherContext``.
    package static func wrap(
        _ key: Span<UInt8>, under wrappingKey: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        guard key.count >= 16, key.count % 8 == 0, key.count <= mostBytes else { throw .wrongInputSize }
        return try run(key, wrappingKey, iv, encrypting: true, giving: key.count + overhead)
    }

    /// Unwraps a key.
    ///
    /// - Parameter wrapped: of 24 bytes or more, a multiple of 8.
    /// - Throws: `CryptoError.authenticationFailed` when it was not wrapped under this key with this IV;
    ///   `.wrongInputSize`; the errors of ``CipherContext``.
    package static func unwrap(
        _ wrapped: Span<UInt8>, under wrappingKey: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        guard wrapped.count >= 24, wrapped.count % 8 == 0, wrapped.count <= mostBytes else { throw .wrongInputSize }
        return try run(wrapped, wrappingKey, iv, encrypting: false, giving: wrapped.count - overhead)
    }

    private static func run(
        _ input: Span<UInt8>, _ key: Span<UInt8>, _ iv: Span<UInt8>, encrypting: Bool, giving count: Int
    ) throws(CryptoError) -> SecretBytes {
        let cipher = try CipherContext(.aes, .wrap, encrypting: encrypting, padding: false, key: key, iv: iv)
        // OpenSSL needs room for the input when it unwraps.
        let room = SecretBytes(count: max(count, input.count) + cipher.blockSize)
        var written = 0
        try room.withMutableSpan { (room) throws(CryptoError) in
            try unsafe room.withUnsafeMutableBufferPointer { (room) throws(CryptoError) in
                guard let start = room.baseAddress else { throw .libraryFailure }
                try unsafe input.withUnsafeBufferPointer { (input) throws(CryptoError) in
                    written = try unsafe cipher.update(UnsafeRawBufferPointer(input), to: start)
                }
            }
        }
        guard written == count else { throw .libraryFailure }
        return room.withSpan { SecretBytes(copying: $0.extracting(0..<count)) }
    }
}
