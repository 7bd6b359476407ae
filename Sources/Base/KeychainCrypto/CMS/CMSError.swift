/// Why a cryptographic message was not made or not read.
package enum CMSError: Error, Equatable, Sendable {
    /// The bytes are not a message, or are a damaged one.
    case malformed
    /// The message, or the memory that it requires, exceeds the limit.
    case tooLarge
    /// The message is of an unsupported kind: neither signed nor enveloped data.
    case unknownKind
    /// The message is encrypted, and the private key of no recipient is available.
    case noRecipient
    /// The content does not decrypt.
    case undecryptable
    /// A key or certificate cannot be used for this operation.
    case unusable
    /// OpenSSL refused.
    case libraryFailure
}

/// Runs a body that calls OpenSSL and translates its error.
func cms<Result>(
    or failure: CMSError = .libraryFailure, _ body: () throws(CryptoError) -> Result
) throws(CMSError) -> Result {
    do throws(CryptoError) { return try body() } catch { throw failure }
}
