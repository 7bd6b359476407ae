/// Why a cryptographic operation gave nothing.
package enum CryptoError: Error, Equatable, Sendable {
    /// The box, its key or its associated data is not what was sealed; which of them cannot be known.
    case authenticationFailed
    /// The box is shorter than a nonce and a tag.
    case boxTooShort
    /// A key, salt or parameter has a size the algorithm does not take; a parameter read from a file was tampered with.
    case invalidParameter
    /// There is more data than one call can process (1 GiB).
    case tooLong
    /// The library refused: out of memory, or an algorithm that this installation of OpenSSL does not offer.
    case libraryFailure
}
