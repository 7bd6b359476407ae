/// The attributes that are signed with the content.
public struct CMSSignedAttributes: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Attributes by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The ciphers the signer can read.
    public static let attrSmimeCapabilities = Self(rawValue: 1)
    /// Which certificate to encrypt for; refused.
    public static let attrSmimeEncryptionKeyPrefs = Self(rawValue: 2)
    /// The same as old programs write it; refused.
    public static let attrSmimeMSEncryptionKeyPrefs = Self(rawValue: 4)
    /// When it was signed.
    public static let attrSigningTime = Self(rawValue: 8)
    /// Of Apple's signed code; refused.
    public static let attrAppleCodesigningHashAgility = Self(rawValue: 16)
    /// Of Apple's signed code; refused.
    public static let attrAppleCodesigningHashAgilityV2 = Self(rawValue: 32)
    /// Of Apple's signed code; refused.
    public static let attrAppleExpirationTime = Self(rawValue: 64)
}

/// Which certificates go with a signature.
public enum CMSCertificateChainMode: UInt32, Sendable {
    /// None.
    case none = 0
    /// The signer's.
    case signerOnly
    /// The signer's and its issuers, without the root: what an encoder does that is told nothing.
    case chain
    /// The same with the root, where there is one.
    case chainWithRoot
    /// The same; without a root there is no message.
    case chainWithRootOrFail
}

/// The verdict on a signature of a message.
public enum CMSSignerStatus: UInt32, Sendable {
    /// There is no signature.
    case unsigned = 0
    /// It holds.
    case valid
    /// The content is elsewhere and was not given.
    case needsDetachedContent
    /// It does not hold.
    case invalidSignature
    /// It holds, but its certificate is not to be believed.
    case invalidCert
    /// There is no such signature.
    case invalidIndex
}
