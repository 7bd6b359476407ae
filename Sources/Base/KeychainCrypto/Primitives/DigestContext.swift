import COpenSSL
package import KeychainModel

/// A digest of a message in pieces, such as a file that is never in memory as a whole. Belongs to one thread.
@safe package final class DigestContext {
    private let context: OpaquePointer
    private let size: Int

    /// - Throws: `CryptoError.libraryFailure`.
    package init(_ hash: HashFunction) throws(CryptoError) {
        size = hash.size
        unsafe context = try made(EVP_MD_CTX_new())
        let algorithm = unsafe try made(Algorithm.digest(hash).reference)
        try succeed(unsafe EVP_DigestInit_ex2(context, algorithm, nil))
    }

    /// A digest that continues from the state of another one.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package init(copying other: DigestContext) throws(CryptoError) {
        size = other.size
        unsafe context = try made(EVP_MD_CTX_new())
        try succeed(unsafe EVP_MD_CTX_copy_ex(context, other.context))
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds a piece. Pieces are concatenated: a caller that needs their borders adds their lengths too.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func update(_ piece: Span<UInt8>) throws(CryptoError) {
        try unsafe withAddress(of: piece) { (start, count) throws(CryptoError) in
            try succeed(unsafe EVP_DigestUpdate(context, start, count))
        }
    }

    /// The digest of all pieces. Nothing can be added afterwards.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func finish() throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        var span = digest.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            try succeed(unsafe EVP_DigestFinal_ex(context, span.baseAddress, nil))
        }
        return digest
    }
}
