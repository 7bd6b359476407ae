import COpenSSL

/// An OpenSSL cipher context for AES-GCM, reused for every message. Belongs to one thread at a time.
@safe final class GCMContext {
    private let context: OpaquePointer
    private let keySize: Int

    /// - Parameters:
    ///   - keySize: in bytes: 16 or 32.
    ///   - nonceSize: in bytes; with another size than 12 the counter begins at a hash of the nonce (SP 800-38D, 7.1).
    init(keySize: Int = AESGCM.keySize, nonceSize: Int = AESGCM.nonceSize) throws(CryptoError) {
        self.keySize = keySize
        unsafe context = try made(EVP_CIPHER_CTX_new())
        let cipher = keySize == 16 ? Algorithm.aes128GCM : .aes256GCM
        try succeed(unsafe EVP_CipherInit_ex2(context, made(cipher.reference), nil, nil, 1, nil))
        guard nonceSize != AESGCM.nonceSize else { return }
        try succeed(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, CInt(nonceSize), nil))
    }

    // This also wipes the key schedule.
    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Makes the key schedule for the messages that follow.
    func setKey(_ key: Span<UInt8>) throws(CryptoError) {
        guard key.count == keySize else { throw .invalidParameter }
        try unsafe key.withUnsafeBufferPointer { (key) throws(CryptoError) in
            try succeed(unsafe EVP_CipherInit_ex2(context, nil, key.baseAddress, nil, 1, nil))
        }
    }

    /// Encrypts `input` into the same number of bytes at `output`, followed by the tag.
    func seal(
        input: UnsafeBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>, aad: Span<UInt8>,
        to output: UnsafeMutablePointer<UInt8>
    ) throws(CryptoError) {
        try unsafe begin(nil, nonce, direction: 1)
        try authenticate(aad)
        try unsafe transform(input, to: output)
        try unsafe finish(after: output + input.count)
        let tag = unsafe output + input.count
        try succeed(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, CInt(AESGCM.tagSize), tag))
    }

    /// Decrypts `input`, which the tag follows, into the same number of bytes at `output`. The caller must wipe them
    /// when this throws.
    ///
    /// - Parameter key: 32 bytes to make the key schedule from first, which costs less here than by ``setKey(_:)``.
    func open(
        input: UnsafeBufferPointer<UInt8>, key: UnsafePointer<UInt8>? = nil, nonce: UnsafePointer<UInt8>,
        aad: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>, tag: UnsafePointer<UInt8>
    ) throws(CryptoError) {
        try unsafe begin(key, nonce, direction: 0)
        try authenticate(aad)
        try unsafe transform(input, to: output)
        let expected = unsafe UnsafeMutableRawPointer(mutating: tag)
        try succeed(unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(AESGCM.tagSize), expected))
        try unsafe finish(after: output + input.count, or: .authenticationFailed)
    }

    private func begin(
        _ key: UnsafePointer<UInt8>?, _ nonce: UnsafePointer<UInt8>, direction: CInt
    ) throws(CryptoError) {
        try succeed(unsafe EVP_CipherInit_ex2(context, nil, key, nonce, direction, nil))
    }

    private func authenticate(_ aad: Span<UInt8>) throws(CryptoError) {
        try unsafe aad.withUnsafeBufferPointer { (aad) throws(CryptoError) in
            try unsafe transform(aad, to: nil)
        }
    }

    private func transform(
        _ input: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>?
    ) throws(CryptoError) {
        guard input.count <= 1 << 30 else { throw .tooLong }
        if input.isEmpty { return }
        var count: CInt = 0
        try succeed(unsafe EVP_CipherUpdate(context, output, &count, input.baseAddress, CInt(input.count)))
    }

    private func finish(
        after end: UnsafeMutablePointer<UInt8>, or failure: CryptoError = .libraryFailure
    ) throws(CryptoError) {
        var count: CInt = 0
        try succeed(unsafe EVP_CipherFinal_ex(context, end, &count), or: failure)
    }
}
