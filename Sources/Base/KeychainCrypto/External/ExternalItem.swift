/// A key or a certificate from a file.
package enum ExternalItem: Sendable {
    case certificate(Certificate)
    case privateKey(PrivateKey)
    case publicKey(PublicKey)
    case identity(PrivateKey, Certificate)
}

/// How a file encodes keys and certificates.
package enum ExternalForm: Sendable {
    /// One certificate (RFC 5280).
    case x509
    /// A key as OpenSSL writes it: PKCS #1 (RFC 8017), SEC 1 (RFC 5915), or a public key as in a certificate.
    case openSSL
    /// A private key that is not encrypted (RFC 5208).
    case pkcs8
    /// A private key encrypted with a passphrase (RFC 5958).
    case wrappedPKCS8
    /// Certificates in a message without content (RFC 5652).
    case pkcs7
    /// Keys and certificates encrypted with a passphrase (RFC 7292).
    case pkcs12
    /// A private key as ssh-keygen writes it (PROTOCOL.key of OpenSSH).
    case openSSH
    /// Several items, each between lines that name its type (RFC 7468).
    case pemSequence
}

/// Why a file was not read or written.
package enum ExternalFailure: Error, Equatable, Sendable {
    /// The bytes are in no known form.
    case unknownForm
    /// The form cannot hold such an item.
    case unsupportedForm
    /// A passphrase is needed.
    case needsPassphrase
    /// The passphrase is wrong.
    case wrongPassphrase
    /// The file demands more work or memory than is allowed.
    case tooMuchWork
    /// The cipher is unknown, or one that OpenSSL's legacy provider has, which is missing.
    case unknownCipher
    /// An OpenSSH key with a passphrase, whose derivation (bcrypt) OpenSSL does not have.
    case wrappedOpenSSH
    /// There is nothing to write.
    case nothing
    case libraryFailure
}

/// Runs a body and translates its error.
func external<Result, Failure: Error>(
    or failure: ExternalFailure, _ body: () throws(Failure) -> Result
) throws(ExternalFailure) -> Result {
    do throws(Failure) { return try body() } catch { throw failure }
}
