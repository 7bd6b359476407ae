import COpenSSL

/// OpenSSL's algorithms, looked up once: a lookup costs as much as sealing a short message, and takes a lock.
@safe struct Algorithm: @unchecked Sendable {
    // Never freed and never changed by OpenSSL after the lookup, so any thread may use it.
    let reference: OpaquePointer?

    static let aes256GCM = unsafe Algorithm(reference: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    static let hmac = unsafe Algorithm(reference: EVP_MAC_fetch(nil, "HMAC", nil))
    static let hkdf = unsafe Algorithm(reference: EVP_KDF_fetch(nil, "HKDF", nil))
    static let sha256 = unsafe Algorithm(reference: EVP_MD_fetch(nil, "SHA256", nil))
    static let sha1 = unsafe Algorithm(reference: EVP_MD_fetch(nil, "SHA1", nil))
}

/// Turns OpenSSL's "1 is success" into an error, and leaves no report in the library's queue.
@inline(__always)
func succeed(_ result: CInt, or failure: CryptoError = .libraryFailure) throws(CryptoError) {
    if result > 0 { return }
    ERR_clear_error()
    throw failure
}

/// Unwraps an object that OpenSSL has made.
func made(_ object: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
    if let object = unsafe object { return unsafe object }
    ERR_clear_error()
    throw .libraryFailure
}
