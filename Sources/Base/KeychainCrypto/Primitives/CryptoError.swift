/// Why a cryptographic operation failed.
package enum CryptoError: Error, Equatable, Sendable {
    /// The box, its key or its associated data differs from what was sealed, or the decrypted message has no proper
    /// padding. The cause cannot be told apart.
    case authenticationFailed
    /// The box is shorter than a nonce and a tag.
    case boxTooShort
    /// A key, salt or parameter has a size that the algorithm does not take, or a parameter from a file was tampered
    /// with.
    case invalidParameter
    /// There is more data than one call can process (1 GiB).
    case tooLong
    /// No key of this type may have this size.
    case unsupportedKeySize
    /// The algorithm does not support this operation, or keys of this type and size.
    case unsupportedAlgorithm
    /// The bytes are not a key: wrong length or encoding, trailing bytes, a point that is not on the curve, or parts
    /// that do not belong together.
    case malformedKey
    /// The bytes are not a certificate that OpenSSL reads.
    case malformedCertificate
    /// The algorithm does not take an input of this size with this key.
    case wrongInputSize
    /// The library refused: out of memory, or an algorithm that this installation of OpenSSL does not offer.
    case libraryFailure
}
