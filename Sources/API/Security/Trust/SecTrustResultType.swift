/// The outcome of an evaluation of trust. Source: Apple, `SecTrustResultType`.
public enum SecTrustResultType: UInt32, Sendable {
    /// There was no evaluation yet.
    case invalid = 0
    /// The user has declared the certificate trusted.
    case proceed = 1
    /// No longer used.
    case confirm = 2
    /// The user has declared the certificate not trusted.
    case deny = 3
    /// The certificate is trusted; the user has declared nothing about it.
    case unspecified = 4
    /// The certificate is not trusted. Another date, name or anchor could change that.
    case recoverableTrustFailure = 5
    /// The certificate is not trusted, and nothing changes that.
    case fatalTrustFailure = 6
    /// Another failure.
    case otherError = 7
}
