package import KeychainCrypto

/// Why a protected file was not read or written. Nothing that was not verified has been given out.
package enum FileError: Error, Equatable, Sendable {
    /// The parts of a header whose value another release may know.
    package enum Field: Sendable { case version, kind, suite }

    /// The file is not a protected one: neither copy of the header has the magic.
    case notProtected
    /// The header has a value that this release does not know.
    case unsupported(Field, UInt16)
    /// The part that begins at this offset of the file is not as it was written, or the key is another file's.
    case damaged(at: UInt64)
    /// A text is no identity of a recovery recipient.
    case noIdentity
    /// A new header breaks the format's rules.
    case invalidHeader
    /// The content would have more than ``SealedLayout/mostBytes`` bytes.
    case tooLarge
    /// An earlier call has failed or finished the file.
    case ended
    /// The process is a forked child of the one that began.
    case forked
    /// The cryptographic library refused.
    case library(CryptoError)
}

/// Runs a computation over what was read from a place of the file.
func verifying<Result>(
    at offset: UInt64, _ body: () throws(CryptoError) -> Result
) throws(FileError) -> Result {
    do throws(CryptoError) { return try body() } catch {
        switch error {
        case .authenticationFailed, .boxTooShort, .malformedKey, .wrongInputSize: throw .damaged(at: offset)
        default: throw .library(error)
        }
    }
}

/// Runs a computation that no content of a file can make fail.
func computing<Result>(_ body: () throws(CryptoError) -> Result) throws(FileError) -> Result {
    do throws(CryptoError) { return try body() } catch { throw .library(error) }
}
