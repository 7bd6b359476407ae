import COpenSSL
import Glibc

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

/// A text that OpenSSL's parameter lists point to: it must outlive the list, which a Swift string passed to C does not.
@safe struct ParameterText: @unchecked Sendable {
    // Never freed, never changed.
    let pointer: UnsafeMutablePointer<CChar>

    private init(_ text: String) { unsafe pointer = strdup(text) }

    static let digest = ParameterText(OSSL_KDF_PARAM_DIGEST)
    static let key = ParameterText(OSSL_KDF_PARAM_KEY)
    static let salt = ParameterText(OSSL_KDF_PARAM_SALT)
    static let info = ParameterText(OSSL_KDF_PARAM_INFO)
    static let sha256 = ParameterText("SHA256")
}

/// The parameter that says which digest HMAC and HKDF are built on.
func digestParameter() -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_utf8_string(ParameterText.digest.pointer, ParameterText.sha256.pointer, 0)
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
