import COpenSSL
import LinuxSystem

/// A key of OpenSSL, freed with its last owner.
///
/// It is safe to send because it never changes after it was made, and OpenSSL lets any number of threads use such a key
/// at once.
@safe final class KeyHandle: @unchecked Sendable {
    let reference: OpaquePointer

    /// Takes ownership of a key that OpenSSL has made.
    ///
    /// - Throws: `CryptoError.malformedKey` when the key is null.
    init(adopting key: OpaquePointer?) throws(CryptoError) {
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .malformedKey
        }
        unsafe reference = key
    }

    // This also wipes the private parts.
    deinit { unsafe EVP_PKEY_free(reference) }

    /// The bits of the modulus, or of the curve's order.
    var bits: Int { unsafe Int(EVP_PKEY_get_bits(reference)) }
    /// The maximum size of one signature or ciphertext in bytes.
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

    /// Checks that the public part is on its curve, and that the private part belongs to it.
    ///
    /// - Throws: `CryptoError.malformedKey` when not.
    func checkPair() throws(CryptoError) {
        let context = try KeyContext(self)
        try succeed(unsafe EVP_PKEY_check(context.reference), or: .malformedKey)
    }

    /// Checks that the public part is on its curve.
    ///
    /// - Throws: `CryptoError.malformedKey` when not.
    func checkPublic() throws(CryptoError) {
        let context = try KeyContext(self)
        try succeed(unsafe EVP_PKEY_public_check_quick(context.reference), or: .malformedKey)
    }
}
