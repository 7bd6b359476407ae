import COpenSSL

/// AES-GCM (NIST SP 800-38D) for formats that compute their nonces, such as chunks with a number.
///
/// A sealed message is ciphertext ‖ tag (16 bytes). **No nonce may seal two messages under one key**: the second one
/// gives both away, and the key that authenticates. The caller guarantees that; where it cannot, it takes ``AESGCM``.
/// Belongs to one thread. The key schedule is wiped with the object.
package final class NoncedAESGCM {
    private let context: GCMContext

    /// - Parameter key: 16 or 32 bytes.
    /// - Throws: `CryptoError.invalidParameter` for a key of another size; `.libraryFailure`.
    package init(key: Span<UInt8>) throws(CryptoError) {
        guard key.count == 16 || key.count == AESGCM.keySize else { throw .invalidParameter }
        context = try GCMContext(keySize: key.count)
        try context.setKey(key)
    }

    /// Seals the plaintext into a span that is larger by exactly the tag.
    ///
    /// - Parameters:
    ///   - nonce: 12 bytes.
    ///   - aad: associated data: not in the message, but the same must be given to open it.
    /// - Throws: `CryptoError.invalidParameter` when nonce or span have another size; `.tooLong`, `.libraryFailure`.
    package func seal(
        plaintext: Span<UInt8>, nonce: Span<UInt8>, aad: Span<UInt8>, into message: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        guard nonce.count == AESGCM.nonceSize, message.count == plaintext.count + AESGCM.tagSize else {
            throw .invalidParameter
        }
        try unsafe message.withUnsafeMutableBufferPointer { (message) throws(CryptoError) in
            guard let output = message.baseAddress else { throw .libraryFailure }
            try unsafe plaintext.withUnsafeBufferPointer { (plaintext) throws(CryptoError) in
                try unsafe withAddress(of: nonce) { (nonce, _) throws(CryptoError) in
                    try unsafe context.seal(input: plaintext, nonce: nonce, aad: aad, to: output)
                }
            }
        }
    }

    /// Opens a message into a span that is smaller by exactly the tag. On failure the span is wiped.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `.boxTooShort` for less than a tag; `.invalidParameter` when nonce
    ///   or span have another size; `.tooLong`, `.libraryFailure`.
    package func open(
        message: Span<UInt8>, nonce: Span<UInt8>, aad: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        guard message.count >= AESGCM.tagSize else { throw .boxTooShort }
        guard nonce.count == AESGCM.nonceSize, plaintext.count == message.count - AESGCM.tagSize else {
            throw .invalidParameter
        }
        try unsafe plaintext.withUnsafeMutableBufferPointer { (plaintext) throws(CryptoError) in
            // An empty span may have no address. Nothing is written to this one.
            var nowhere: UInt8 = 0
            try unsafe withUnsafeMutablePointer(to: &nowhere) { (nowhere) throws(CryptoError) in
                try unsafe open(message: message, nonce, aad, to: plaintext.baseAddress ?? nowhere)
            }
        }
    }

    private func open(
        message: Span<UInt8>, _ nonce: Span<UInt8>, _ aad: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>
    ) throws(CryptoError) {
        try unsafe withAddress(of: message) { (start, count) throws(CryptoError) in
            let ciphertext = unsafe UnsafeBufferPointer(start: start, count: count - AESGCM.tagSize)
            do throws(CryptoError) {
                try unsafe withAddress(of: nonce) { (nonce, _) throws(CryptoError) in
                    let tag = unsafe start + ciphertext.count
                    try unsafe context.open(input: ciphertext, nonce: nonce, aad: aad, to: output, tag: tag)
                }
            } catch {
                unsafe OPENSSL_cleanse(output, ciphertext.count)
                throw error
            }
        }
    }
}
