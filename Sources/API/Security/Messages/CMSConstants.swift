/// The attributes that are signed with the content.
public struct CMSSignedAttributes: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Attributes by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The ciphers that the signer can decrypt.
    public static let attrSmimeCapabilities = Self(rawValue: 1)
    /// The certificate for encrypted replies; refused.
    public static let attrSmimeEncryptionKeyPrefs = Self(rawValue: 2)
    /// The certificate for encrypted replies, in the form of old programs; refused.
    public static let attrSmimeMSEncryptionKeyPrefs = Self(rawValue: 4)
    /// The time of signing.
    public static let attrSigningTime = Self(rawValue: 8)
    /// Of Apple's signed code; refused.
    public static let attrAppleCodesigningHashAgility = Self(rawValue: 16)
    /// Of Apple's signed code; refused.
    public static let attrAppleCodesigningHashAgilityV2 = Self(rawValue: 32)
    /// Of Apple's signed code; refused.
    public static let attrAppleExpirationTime = Self(rawValue: 64)
}

/// The certificates that a message contains for a signature.
public enum CMSCertificateChainMode: UInt32, Sendable {
    /// None.
    case none = 0
    /// The signer's.
    case signerOnly
    /// The signer's and its issuers, without the root: the default of an encoder.
    case chain
    /// The same with the root, if there is one.
    case chainWithRoot
    /// The same; without a root no message is made.
    case chainWithRootOrFail
}

/// The verdict on a signature of a message.
public enum CMSSignerStatus: UInt32, Sendable {
    /// There is no signature.
    case unsigned = 0
    /// It is valid.
    case valid
    /// The content is outside of the message and was not given.
    case needsDetachedContent
    /// It is invalid.
    case invalidSignature
    /// It is valid, but its certificate is not trusted.
    case invalidCert
    /// There is no such signature.
    case invalidIndex
}
