/// Signatures with RSA keys (RFC 8017).
extension SecKeyAlgorithm {
    /// The private operation on a whole block, without padding.
    public static let rsaSignatureRaw = Self(constant: "RSASignatureRaw")
    /// PKCS #1 v1.5 padding around the given bytes, without naming a hash.
    public static let rsaSignatureDigestPKCS1v15Raw = Self(constant: "RSASignatureDigestPKCS1v15Raw")
    /// PKCS #1 v1.5 over a SHA-1 digest.
    public static let rsaSignatureDigestPKCS1v15SHA1 = Self(constant: "RSASignatureDigestPKCS1v15SHA1")
    /// PKCS #1 v1.5 over a SHA-224 digest.
    public static let rsaSignatureDigestPKCS1v15SHA224 = Self(constant: "RSASignatureDigestPKCS1v15SHA224")
    /// PKCS #1 v1.5 over a SHA-256 digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = Self(constant: "RSASignatureDigestPKCS1v15SHA256")
    /// PKCS #1 v1.5 over a SHA-384 digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = Self(constant: "RSASignatureDigestPKCS1v15SHA384")
    /// PKCS #1 v1.5 over a SHA-512 digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = Self(constant: "RSASignatureDigestPKCS1v15SHA512")
    /// PKCS #1 v1.5 over the SHA-1 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA1 = Self(constant: "RSASignatureMessagePKCS1v15SHA1")
    /// PKCS #1 v1.5 over the SHA-224 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA224 = Self(constant: "RSASignatureMessagePKCS1v15SHA224")
    /// PKCS #1 v1.5 over the SHA-256 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(constant: "RSASignatureMessagePKCS1v15SHA256")
    /// PKCS #1 v1.5 over the SHA-384 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA384 = Self(constant: "RSASignatureMessagePKCS1v15SHA384")
    /// PKCS #1 v1.5 over the SHA-512 digest of a message.
    public static let rsaSignatureMessagePKCS1v15SHA512 = Self(constant: "RSASignatureMessagePKCS1v15SHA512")
    /// PSS over a SHA-1 digest, with a salt as long as the digest.
    public static let rsaSignatureDigestPSSSHA1 = Self(constant: "RSASignatureDigestPSSSHA1")
    /// PSS over a SHA-224 digest, with a salt as long as the digest.
    public static let rsaSignatureDigestPSSSHA224 = Self(constant: "RSASignatureDigestPSSSHA224")
    /// PSS over a SHA-256 digest, with a salt as long as the digest.
    public static let rsaSignatureDigestPSSSHA256 = Self(constant: "RSASignatureDigestPSSSHA256")
    /// PSS over a SHA-384 digest, with a salt as long as the digest.
    public static let rsaSignatureDigestPSSSHA384 = Self(constant: "RSASignatureDigestPSSSHA384")
    /// PSS over a SHA-512 digest, with a salt as long as the digest.
    public static let rsaSignatureDigestPSSSHA512 = Self(constant: "RSASignatureDigestPSSSHA512")
    /// PSS over the SHA-1 digest of a message, with a salt as long as the digest.
    public static let rsaSignatureMessagePSSSHA1 = Self(constant: "RSASignatureMessagePSSSHA1")
    /// PSS over the SHA-224 digest of a message, with a salt as long as the digest.
    public static let rsaSignatureMessagePSSSHA224 = Self(constant: "RSASignatureMessagePSSSHA224")
    /// PSS over the SHA-256 digest of a message, with a salt as long as the digest.
    public static let rsaSignatureMessagePSSSHA256 = Self(constant: "RSASignatureMessagePSSSHA256")
    /// PSS over the SHA-384 digest of a message, with a salt as long as the digest.
    public static let rsaSignatureMessagePSSSHA384 = Self(constant: "RSASignatureMessagePSSSHA384")
    /// PSS over the SHA-512 digest of a message, with a salt as long as the digest.
    public static let rsaSignatureMessagePSSSHA512 = Self(constant: "RSASignatureMessagePSSSHA512")
}
