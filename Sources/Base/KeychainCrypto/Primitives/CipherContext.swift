import COpenSSL
import LinuxSystem

/// A block cipher over a message in pieces. It encrypts and does not authenticate. Belongs to one thread.
@safe package final class CipherContext {
    private let context: OpaquePointer
    private let direction: CInt
    /// The cipher's block size in bytes.
    package let blockSize: Int
    /// The mode, which decides how a partial block is treated.
    package let mode: BlockCipher.Mode
    private let hasPadding: Bool

    /// - Parameters:
    ///   - padding: whether the last block is filled up (PKCS#7); only modes of whole blocks use it.
    ///   - iv: a block, or half of one for ``BlockCipher/Mode/wrap``; empty for zero bytes, or RFC 3394's own value.
    /// - Throws: `CryptoError.unsupportedKeySize`; `.unsupportedAlgorithm` for a mode that the cipher does not have;
    ///   `.invalidParameter` for an IV of another size; `.libraryFailure`.
    package init(
        _ cipher: BlockCipher, _ mode: BlockCipher.Mode, encrypting: Bool, padding: Bool, key: Span<UInt8>,
        iv: Span<UInt8>
    ) throws(CryptoError) {
        guard cipher.keySizes.contains(key.count) else { throw .unsupportedKeySize }
        guard cipher.name(mode, keySize: key.count) != nil else { throw .unsupportedAlgorithm }
        blockSize = cipher.blockSize
        self.mode = mode
        hasPadding = padding && mode.isOfBlocks
        direction = encrypting ? 1 : 0
        unsafe context = try made(EVP_CIPHER_CTX_new())
        if mode == .wrap { unsafe EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW) }
        let algorithm = Algorithm.cipher(cipher, mode, keySize: key.count)
        try succeed(unsafe EVP_CipherInit_ex2(context, made(algorithm.reference), nil, nil, direction, nil))
        try setKey(cipher == .des ? tripled(key) : key.array(0, key.count))
        try restart(iv: iv)
    }

    // This also wipes the key schedule.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    private func setKey(_ key: consuming [UInt8]) throws(CryptoError) {
        var span = key.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (key) throws(CryptoError) in
            defer { unsafe OPENSSL_cleanse(key.baseAddress, key.count) }
            try succeed(unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, nil, direction, nil))
        }
    }

    /// Discards the message so far and begins the next one.
    ///
    /// - Throws: `CryptoError.invalidParameter` for an IV of another size; `.libraryFailure`.
    package func restart(iv: Span<UInt8>) throws(CryptoError) {
        let size = mode == .wrap ? blockSize / 2 : blockSize
        guard iv.count == 0 || iv.count == size else { throw .invalidParameter }
        let value = iv.count > 0 ? iv.array(0, size) : [UInt8](repeating: mode == .wrap ? 0xA6 : 0, count: size)
        try unsafe withAddress(of: value.span) { (value, _) throws(CryptoError) in
            try succeed(unsafe EVP_CipherInit_ex2(context, nil, nil, value, direction, nil))
        }
        unsafe EVP_CIPHER_CTX_set_padding(context, hasPadding ? 1 : 0)
    }

    /// Processes a piece. Input and output are pointers, because they may be the same memory.
    ///
    /// - Parameter output: has room for the input and a block.
    /// - Returns: the number of bytes written.
    /// - Throws: `CryptoError.tooLong` above 1 GiB; `.authenticationFailed` for a wrapped key that does not unwrap;
    ///   `.libraryFailure`.
    package func update(
        _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer
    ) throws(CryptoError) -> Int {
        guard input.count <= 1 << 30 else { throw .tooLong }
        guard let start = input.baseAddress, input.count > 0 else { return 0 }
        var count: CInt = 0
        let failure: CryptoError = mode == .wrap ? .authenticationFailed : .libraryFailure
        try unsafe succeed(
            EVP_CipherUpdate(
                context, output.assumingMemoryBound(to: UInt8.self), &count,
                start.assumingMemoryBound(to: UInt8.self), CInt(input.count)), or: failure)
        return Int(count)
    }

    /// Ends the message.
    ///
    /// - Parameter output: has room for a block.
    /// - Returns: the number of bytes written.
    /// - Throws: `CryptoError.authenticationFailed` when the decrypted message has no proper padding; `.wrongInputSize`
    ///   when the last block is incomplete.
    package func finish(to output: UnsafeMutableRawPointer) throws(CryptoError) -> Int {
        var count: CInt = 0
        let failure: CryptoError = hasPadding && direction == 0 ? .authenticationFailed : .wrongInputSize
        try unsafe succeed(
            EVP_CipherFinal_ex(context, output.assumingMemoryBound(to: UInt8.self), &count), or: failure)
        return Int(count)
    }
}

private func tripled(_ key: Span<UInt8>) -> [UInt8] {
    let key = key.array(0, key.count)
    return key + key + key
}
