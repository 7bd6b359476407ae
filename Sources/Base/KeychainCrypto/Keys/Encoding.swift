import COpenSSL
import LinuxSystem

/// The shape of OpenSSL's `i2d` functions. They allocate their output.
typealias Encoder = (inout UnsafeMutablePointer<UInt8>?) -> CInt
/// The shape of OpenSSL's `d2i` functions. They advance the pointer behind the object that they have read.
typealias Decoder = (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?

/// The output of an encoder.
///
/// - Throws: `CryptoError.libraryFailure`.
func encoded(by encoder: Encoder) throws(CryptoError) -> [UInt8] {
    var output: UnsafeMutablePointer<UInt8>?
    let count = unsafe encoder(&output)
    defer { unsafe CRYPTO_free(output, #file, #line) }
    try succeed(count)
    return unsafe Array(UnsafeBufferPointer(start: output, count: Int(count)))
}

/// The secret output of an encoder.
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

/// The object that a decoder reads. The decoder must use all of the bytes.
///
/// - Parameter free: frees an object that is followed by more bytes.
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
