/// A key or a certificate as files have them.
package enum ExternalItem: Sendable {
    case certificate(Certificate)
    case privateKey(PrivateKey)
    case publicKey(PublicKey)
    case identity(PrivateKey, Certificate)
}

/// How something is written in a file.
package enum ExternalForm: Sendable {
    /// One certificate (RFC 5280).
    case x509
    /// A key as OpenSSL writes it: PKCS #1 (RFC 8017), SEC 1 (RFC 5915), or a public key as in a certificate.
    case openSSL
    /// A private key under a passphrase (RFC 5958).
    case wrappedPKCS8
    /// Certificates in a message without content (RFC 5652).
    case pkcs7
    /// Keys and certificates under a passphrase (RFC 7292).
    case pkcs12
    /// Several things, each between lines that say what it is (RFC 7468).
    case pemSequence
}

/// Why a file was not read or written.
package enum ExternalFailure: Error, Equatable, Sendable {
    /// The bytes are nothing that is read.
    case unknownForm
    /// The form holds no such thing.
    case unsupportedForm
    /// A passphrase is needed.
    case needsPassphrase
    /// The passphrase is another one.
    case wrongPassphrase
    /// There is nothing to write.
    case nothing
    case libraryFailure
}

/// Runs what may refuse, each with its own reasons.
func external<Result, Failure: Error>(
    or failure: ExternalFailure, _ body: () throws(Failure) -> Result
) throws(ExternalFailure) -> Result {
    do throws(Failure) { return try body() } catch { throw failure }
}
