/// Why a cryptographic message was not made, or not read.
package enum CMSError: Error, Equatable, Sendable {
    /// The bytes are no message, or a damaged one.
    case malformed
    /// The message, or what it asks for, is larger than any has reason to be.
    case tooLarge
    /// The message is of a kind that is not read: neither signed nor enveloped data.
    case unknownKind
    /// The message is encrypted, and for nobody whose private key is there.
    case noRecipient
    /// The content does not decrypt.
    case undecryptable
    /// A key or certificate cannot be used for it.
    case unusable
    /// OpenSSL refused.
    case libraryFailure
}

/// Runs what OpenSSL may refuse.
func cms<Result>(
    or failure: CMSError = .libraryFailure, _ body: () throws(CryptoError) -> Result
) throws(CMSError) -> Result {
    do throws(CryptoError) { return try body() } catch { throw failure }
}
