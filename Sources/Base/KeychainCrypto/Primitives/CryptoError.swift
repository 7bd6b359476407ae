/// Why a cryptographic operation gave nothing.
package enum CryptoError: Error, Equatable, Sendable {
    /// The box, its key or its associated data is not what was sealed, or what was decrypted has no proper padding;
    /// which of them cannot be known.
    case authenticationFailed
    /// The box is shorter than a nonce and a tag.
    case boxTooShort
    /// A key, salt or parameter has a size the algorithm does not take; a parameter read from a file was tampered with.
    case invalidParameter
    /// There is more data than one call can process (1 GiB).
    case tooLong
    /// No key of this type may have this size.
    case unsupportedKeySize
    /// The algorithm is not one for this operation, or not for keys of this type and size.
    case unsupportedAlgorithm
    /// The bytes are not a key: wrong length or encoding, more behind it, a point that is not on the curve, parts that
    /// do not belong together.
    case malformedKey
    /// The bytes are not a certificate that OpenSSL reads.
    case malformedCertificate
    /// The input has a size that the algorithm does not take with this key.
    case wrongInputSize
    /// The library refused: out of memory, or an algorithm that this installation of OpenSSL does not offer.
    case libraryFailure
}
