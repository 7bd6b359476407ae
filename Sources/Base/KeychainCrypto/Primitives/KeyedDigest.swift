import COpenSSL

/// HMAC-SHA256 (RFC 2104) under one key, which is prepared once. Belongs to one thread.
///
/// A message may have several parts: ``update(_:)`` for each, then ``finish(into:)``. After that, the next message can
/// begin.
@safe package final class KeyedDigest {
    /// The size of a whole digest in bytes.
    package static let size = 32
    /// The result of ``finishShort()``.
    package typealias Short = InlineArray<16, UInt8>

    private let context: OpaquePointer
    /// Whether the prepared key is in place, before or within a message. After a failure, such as lack of memory, it is
    /// not. The context would then continue with the rest of another message, or without a state at all.
    private var isPrepared = true

    /// - Throws: `CryptoError.libraryFailure`.
    package init(key: Span<UInt8>) throws(CryptoError) {
        unsafe context = try made(EVP_MAC_CTX_new(made(Algorithm.hmac.reference)))
        try unsafe withAddress(of: key) { (key, count) throws(CryptoError) in
            let parameters = unsafe [digestParameter(), OSSL_PARAM_construct_end()]
            try succeed(unsafe EVP_MAC_init(context, key, count, parameters))
        }
    }

    // This also wipes the key.
    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Adds a part of the message. Parts are concatenated: a caller that needs their borders writes their lengths too.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func update(_ part: Span<UInt8>) throws(CryptoError) {
        try unsafe part.withUnsafeBufferPointer { (part) throws(CryptoError) in
            if part.isEmpty { return }
            try prepare()
            isPrepared = false
            try succeed(unsafe EVP_MAC_update(context, part.baseAddress, part.count))
            isPrepared = true
        }
    }

    /// Ends the message and fills the span with the first bytes of its digest: 16 to 32.
    ///
    /// - Throws: `CryptoError.invalidParameter` for another size; `.libraryFailure`.
    package func finish(into digest: inout MutableSpan<UInt8>) throws(CryptoError) {
        guard (16...Self.size).contains(digest.count) else { throw .invalidParameter }
        let whole = try finish()
        unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe whole.span.withUnsafeBufferPointer { whole in
                unsafe digest.baseAddress!.update(from: whole.baseAddress!, count: digest.count)
            }
        }
    }

    /// Ends the message and returns the whole digest.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func finish() throws(CryptoError) -> InlineArray<32, UInt8> {
        try prepare()
        isPrepared = false
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var span = digest.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (bytes) throws(CryptoError) in
            var count = 0
            try succeed(unsafe EVP_MAC_final(context, bytes.baseAddress, &count, bytes.count))
        }
        // A failure here is repeated and reported by the next message.
        try? prepare()
        return digest
    }

    /// Puts the key in place again. A null key means the prepared one.
    private func prepare() throws(CryptoError) {
        if isPrepared { return }
        try succeed(unsafe EVP_MAC_init(context, nil, 0, nil))
        isPrepared = true
    }

    /// Ends the message and returns the first 16 bytes of the digest (RFC 2104 section 5 allows half).
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func finishShort() throws(CryptoError) -> Short {
        var short = Short(repeating: 0)
        var span = short.mutableSpan
        try finish(into: &span)
        return short
    }

    /// The digest of a message of one part.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func digest(_ message: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        try update(message)
        return try finish()
    }
}
