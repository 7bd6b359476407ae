import LinuxSystem

/// AES-GCM as Apple's asymmetric algorithms use it: a key for one message, an IV of 16 bytes, the tag at the end.
struct ContentCipher {
    static let ivSize = 16
    private let context: GCMContext
    private let iv: [UInt8]

    /// - Parameters:
    ///   - key: 16 or 32 bytes that encrypt nothing else.
    ///   - iv: nil for zero bytes.
    init(key: Span<UInt8>, iv: Span<UInt8>?) throws(CryptoError) {
        guard key.count == 16 || key.count == 32 else { throw .invalidParameter }
        context = try GCMContext(keySize: key.count, nonceSize: Self.ivSize)
        try context.setKey(key)
        if let iv { self.iv = iv.array(0, Self.ivSize) } else { self.iv = [UInt8](repeating: 0, count: Self.ivSize) }
    }

    /// Encrypts; the result is prefix ‖ ciphertext ‖ tag.
    func seal(content: Span<UInt8>, aad: Span<UInt8>, after prefix: [UInt8]) throws(CryptoError) -> [UInt8] {
        var message = prefix + [UInt8](repeating: 0, count: content.count + AESGCM.tagSize)
        var span = message.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (message) throws(CryptoError) in
            guard let start = message.baseAddress else { throw .libraryFailure }
            try unsafe content.withUnsafeBufferPointer { (content) throws(CryptoError) in
                try unsafe withAddress(of: iv.span) { (iv, _) throws(CryptoError) in
                    try unsafe context.seal(input: content, nonce: iv, aad: aad, to: start + prefix.count)
                }
            }
        }
        return message
    }

    /// Decrypts ciphertext ‖ tag.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `.wrongInputSize` when the input is shorter than a tag.
    func open(box: Span<UInt8>, aad: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        guard box.count >= AESGCM.tagSize else { throw .wrongInputSize }
        let content = SecretBytes(count: box.count - AESGCM.tagSize)
        try content.withMutableSpan { (content) throws(CryptoError) in
            try unsafe content.withUnsafeMutableBufferPointer { (content) throws(CryptoError) in
                try unsafe open(box: box, aad, to: content)
            }
        }
        return content
    }

    // On an error the caller gets no output; its owner wipes it.
    private func open(
        box: Span<UInt8>, _ aad: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>
    ) throws(CryptoError) {
        try unsafe box.withUnsafeBufferPointer { (box) throws(CryptoError) in
            guard let start = box.baseAddress, let output = output.baseAddress else { throw .libraryFailure }
            let ciphertext = unsafe UnsafeBufferPointer(rebasing: box.dropLast(AESGCM.tagSize))
            try unsafe withAddress(of: iv.span) { (iv, _) throws(CryptoError) in
                try unsafe context.open(
                    input: ciphertext, nonce: iv, aad: aad, to: output, tag: start + (box.count - AESGCM.tagSize))
            }
        }
    }
}
