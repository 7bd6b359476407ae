import COpenSSL
package import KeychainModel

/// An HMAC (RFC 2104) of a message in pieces, with any of the hash functions. Belongs to one thread.
///
/// The keychain's own MACs are made by ``KeyedDigest``, which prepares one key for many messages.
@safe package final class HMACContext {
    private let context: OpaquePointer
    private let size: Int

    /// - Parameter key: of any size.
    /// - Throws: `CryptoError.libraryFailure`.
    package init(_ hash: HashFunction, key: Span<UInt8>) throws(CryptoError) {
        size = hash.size
        unsafe context = try made(EVP_MAC_CTX_new(made(Algorithm.hmac.reference)))
        try unsafe withAddress(of: key) { (key, count) throws(CryptoError) in
            let parameters = unsafe [digestParameter(hash), OSSL_PARAM_construct_end()]
            try succeed(unsafe EVP_MAC_init(context, key, count, parameters))
        }
    }

    /// A MAC that continues from the state of another one.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package init(copying other: HMACContext) throws(CryptoError) {
        size = other.size
        unsafe context = try made(EVP_MAC_CTX_dup(other.context))
    }

    // This also wipes the key.
    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Adds a piece of the message.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func update(_ piece: Span<UInt8>) throws(CryptoError) {
        try unsafe withAddress(of: piece) { (start, count) throws(CryptoError) in
            try succeed(unsafe EVP_MAC_update(context, start, count))
        }
    }

    /// The MAC of all pieces. Nothing can be added afterwards.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func finish() throws(CryptoError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: size)
        var span = code.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            var count = 0
            try succeed(unsafe EVP_MAC_final(context, span.baseAddress, &count, span.count))
        }
        return code
    }
}
