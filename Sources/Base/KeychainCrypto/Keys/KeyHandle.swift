import COpenSSL
import LinuxSystem

/// One of OpenSSL's keys, freed when the last owner lets go.
///
/// It is never changed after it was made, and OpenSSL lets any number of threads use such a key at once, which is what
/// makes it safe to send.
@safe final class KeyHandle: @unchecked Sendable {
    let reference: OpaquePointer

    /// Takes over a key that OpenSSL has made.
    ///
    /// - Throws: `CryptoError.malformedKey` when it has made none.
    init(adopting key: OpaquePointer?) throws(CryptoError) {
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .malformedKey
        }
        unsafe reference = key
    }

    // Also wipes the private parts.
    deinit { unsafe EVP_PKEY_free(reference) }

    /// The bits of the modulus, or of the curve's order.
    var bits: Int { unsafe Int(EVP_PKEY_get_bits(reference)) }
    /// The most bytes that one signature or ciphertext has.
    var outputSize: Int { unsafe Int(EVP_PKEY_get_size(reference)) }

    func isA(_ name: String) -> Bool { unsafe EVP_PKEY_is_a(reference, name) == 1 }

    /// A number that is part of the key.
    ///
    /// - Throws: `CryptoError.malformedKey` when the key has no such part.
    func number(_ name: String) throws(CryptoError) -> BigNumber {
        var number: OpaquePointer?
        try succeed(unsafe EVP_PKEY_get_bn_param(reference, name, &number), or: .malformedKey)
        return try unsafe BigNumber(adopting: number)
    }

    /// Whether the public part is one of its curve, and what is private belongs to it.
    ///
    /// - Throws: `CryptoError.malformedKey` when not.
    func checkPair() throws(CryptoError) {
        let context = try KeyContext(self)
        try succeed(unsafe EVP_PKEY_check(context.reference), or: .malformedKey)
    }

    /// Whether the public part is one of its curve.
    ///
    /// - Throws: `CryptoError.malformedKey` when not.
    func checkPublic() throws(CryptoError) {
        let context = try KeyContext(self)
        try succeed(unsafe EVP_PKEY_public_check_quick(context.reference), or: .malformedKey)
    }
}
