import COpenSSL
import Glibc
import KeychainModel

/// OpenSSL's algorithms, fetched once: fetching costs as much as sealing a short message, and takes a lock.
@safe struct Algorithm: @unchecked Sendable {
    // OpenSSL never frees or changes it after the fetch, so any thread may use it.
    let reference: OpaquePointer?

    static let aes256GCM = unsafe fetch(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    static let hmac = unsafe fetch(EVP_MAC_fetch(nil, "HMAC", nil))
    static let hkdf = unsafe fetch(EVP_KDF_fetch(nil, "HKDF", nil))
    static let x963 = unsafe fetch(EVP_KDF_fetch(nil, "X963KDF", nil))
    static let aes128GCM = unsafe fetch(EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))

    static func digest(_ hash: HashFunction) -> Algorithm { digests[hash, default: missing] }
    static func cipher(_ cipher: BlockCipher, _ mode: BlockCipher.Mode, keySize: Int) -> Algorithm {
        ciphers[cipher.name(mode, keySize: keySize) ?? "", default: missing]
    }
    private static let ciphers = Dictionary(
        uniqueKeysWithValues: BlockCipher.names.map {
            ($0, unsafe fetch(EVP_CIPHER_fetch(nil, $0, nil)))
        })

    /// Fetches an algorithm if OpenSSL is initialised. OpenSSL's functions crash when its initialisation ran out of
    /// memory, and it does not try again.
    private static func fetch(_ lookUp: @autoclosure () -> OpaquePointer?) -> Algorithm {
        guard unsafe OSSL_LIB_CTX_get0_global_default() != nil else { return missing }
        return unsafe Algorithm(reference: lookUp())
    }

    private static let missing = unsafe Algorithm(reference: nil)
    private static let digests = Dictionary(
        uniqueKeysWithValues: HashFunction.allCases.map {
            ($0, unsafe fetch(EVP_MD_fetch(nil, $0.rawValue, nil)))
        })
}

/// A text that OpenSSL's parameter lists point to. It must outlive the list, which a Swift string passed to C does not.
@safe struct ParameterText: @unchecked Sendable {
    // Never freed, never changed.
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: String) { unsafe pointer = strdup(text) }

    static let digest = ParameterText(OSSL_KDF_PARAM_DIGEST)
    static let key = ParameterText(OSSL_KDF_PARAM_KEY)
    static let salt = ParameterText(OSSL_KDF_PARAM_SALT)
    static let info = ParameterText(OSSL_KDF_PARAM_INFO)
    static let step = ParameterText(OSSL_KDF_PARAM_MODE)
    static let extractOnly = ParameterText("EXTRACT_ONLY")
    static let expandOnly = ParameterText("EXPAND_ONLY")
    static let hashes = Dictionary(uniqueKeysWithValues: HashFunction.allCases.map { ($0, ParameterText($0.rawValue)) })
}

/// The parameter that names the digest of a MAC or a derivation.
func digestParameter(_ hash: HashFunction = .sha256) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_utf8_string(ParameterText.digest.pointer, ParameterText.hashes[hash]?.pointer, 0)
}

/// Throws when an OpenSSL call has not returned success, and clears the library's error queue.
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
