import COpenSSL
import LinuxSystem

/// What OpenSSL's `i2d` functions look like: they make room for what they write.
typealias Encoder = (inout UnsafeMutablePointer<UInt8>?) -> CInt
/// What OpenSSL's `d2i` functions look like: they move on to what is behind the object they have read.
typealias Decoder = (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?

/// What an encoder writes.
///
/// - Throws: `CryptoError.libraryFailure`.
func encoded(by encoder: Encoder) throws(CryptoError) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = unsafe encoder(&output)
    defer { unsafe CRYPTO_free(output, #file, #line) }
    try succeed(count)
    return unsafe Array(UnsafeBufferPointer(start: output, count: Int(count)))
}

/// What an encoder writes, when it is secret.
///
/// - Throws: `CryptoError.libraryFailure`.
func secretlyEncoded(by encoder: Encoder) throws(CryptoError) -> SecretBytes {
    var output: UnsafeMutablePointer<UInt8>?
    let count = unsafe encoder(&output)
    defer { unsafe CRYPTO_clear_free(output, max(0, Int(count)), #file, #line) }
    try succeed(count)
    guard let start = unsafe output else { throw .libraryFailure }
    return unsafe SecretBytes(copying: Span(_unsafeStart: UnsafePointer(start), count: Int(count)))
}

/// The object that a decoder reads, when it takes all of the bytes.
///
/// - Parameter free: lets go of an object behind which there is more.
/// - Throws: `CryptoError.malformedKey`.
func decoded(
    _ bytes: Span<UInt8>, by decoder: Decoder, orFree free: (OpaquePointer?) -> Void
) throws(CryptoError) -> OpaquePointer {
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(CryptoError) in
        guard let start = bytes.baseAddress else { throw .malformedKey }
        var next: UnsafePointer<UInt8>? = unsafe start
        guard let object = unsafe decoder(&next, bytes.count) else {
            ERR_clear_error()
            throw .malformedKey
        }
        guard unsafe next == start + bytes.count else {
            unsafe free(object)
            throw .malformedKey
        }
        return unsafe object
    }
}

/// As ``decoded(_:by:orFree:)``, for keys.
func decodedKey(_ bytes: Span<UInt8>, by decoder: Decoder) throws(CryptoError) -> KeyHandle {
    guard bytes.count <= RSAFormat.mostBytes else { throw .malformedKey }
    return try unsafe KeyHandle(adopting: decoded(bytes, by: decoder, orFree: EVP_PKEY_free))
}
