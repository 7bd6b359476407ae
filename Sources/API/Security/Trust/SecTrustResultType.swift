/// The outcome of an evaluation of trust.
public enum SecTrustResultType: UInt32, Sendable {
    /// There was no evaluation yet.
    case invalid = 0
    /// The user has said that the certificate is to be believed.
    case proceed = 1
    /// Not used any more.
    case confirm = 2
    /// The user has said that the certificate is not to be believed.
    case deny = 3
    /// The certificate is to be believed; nobody has said anything about it in particular.
    case unspecified = 4
    /// The certificate is not to be believed as things are: another date, name or anchor could change that.
    case recoverableTrustFailure = 5
    /// The certificate is not to be believed, and nothing will change that.
    case fatalTrustFailure = 6
    /// Something else went wrong.
    case otherError = 7
}
