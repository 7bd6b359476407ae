/// Signatures with elliptic curve keys: DER `SEQUENCE { r, s }` (X9.62), or r ‖ s (RFC 4754).
extension SecKeyAlgorithm {
    /// r ‖ s over the given digest. The older name of `ecdsaSignatureDigestRFC4754`.
    public static let ecdsaSignatureRFC4754 = Self(constant: "ECDSASignatureRFC4754")
    /// DER over the given digest, of any hash.
    public static let ecdsaSignatureDigestX962 = Self(constant: "ECDSASignatureDigestX962")
    /// DER over a SHA-1 digest.
    public static let ecdsaSignatureDigestX962SHA1 = Self(constant: "ECDSASignatureDigestX962SHA1")
    /// DER over a SHA-224 digest.
    public static let ecdsaSignatureDigestX962SHA224 = Self(constant: "ECDSASignatureDigestX962SHA224")
    /// DER over a SHA-256 digest.
    public static let ecdsaSignatureDigestX962SHA256 = Self(constant: "ECDSASignatureDigestX962SHA256")
    /// DER over a SHA-384 digest.
    public static let ecdsaSignatureDigestX962SHA384 = Self(constant: "ECDSASignatureDigestX962SHA384")
    /// DER over a SHA-512 digest.
    public static let ecdsaSignatureDigestX962SHA512 = Self(constant: "ECDSASignatureDigestX962SHA512")
    /// DER over the SHA-1 digest of a message.
    public static let ecdsaSignatureMessageX962SHA1 = Self(constant: "ECDSASignatureMessageX962SHA1")
    /// DER over the SHA-224 digest of a message.
    public static let ecdsaSignatureMessageX962SHA224 = Self(constant: "ECDSASignatureMessageX962SHA224")
    /// DER over the SHA-256 digest of a message.
    public static let ecdsaSignatureMessageX962SHA256 = Self(constant: "ECDSASignatureMessageX962SHA256")
    /// DER over the SHA-384 digest of a message.
    public static let ecdsaSignatureMessageX962SHA384 = Self(constant: "ECDSASignatureMessageX962SHA384")
    /// DER over the SHA-512 digest of a message.
    public static let ecdsaSignatureMessageX962SHA512 = Self(constant: "ECDSASignatureMessageX962SHA512")
    /// r ‖ s over the given digest, of any hash.
    public static let ecdsaSignatureDigestRFC4754 = Self(constant: "ECDSASignatureDigestRFC4754")
    /// r ‖ s over a SHA-1 digest.
    public static let ecdsaSignatureDigestRFC4754SHA1 = Self(constant: "ECDSASignatureDigestRFC4754SHA1")
    /// r ‖ s over a SHA-224 digest.
    public static let ecdsaSignatureDigestRFC4754SHA224 = Self(constant: "ECDSASignatureDigestRFC4754SHA224")
    /// r ‖ s over a SHA-256 digest.
    public static let ecdsaSignatureDigestRFC4754SHA256 = Self(constant: "ECDSASignatureDigestRFC4754SHA256")
    /// r ‖ s over a SHA-384 digest.
    public static let ecdsaSignatureDigestRFC4754SHA384 = Self(constant: "ECDSASignatureDigestRFC4754SHA384")
    /// r ‖ s over a SHA-512 digest.
    public static let ecdsaSignatureDigestRFC4754SHA512 = Self(constant: "ECDSASignatureDigestRFC4754SHA512")
    /// r ‖ s over the SHA-1 digest of a message.
    public static let ecdsaSignatureMessageRFC4754SHA1 = Self(constant: "ECDSASignatureMessageRFC4754SHA1")
    /// r ‖ s over the SHA-224 digest of a message.
    public static let ecdsaSignatureMessageRFC4754SHA224 = Self(constant: "ECDSASignatureMessageRFC4754SHA224")
    /// r ‖ s over the SHA-256 digest of a message.
    public static let ecdsaSignatureMessageRFC4754SHA256 = Self(constant: "ECDSASignatureMessageRFC4754SHA256")
    /// r ‖ s over the SHA-384 digest of a message.
    public static let ecdsaSignatureMessageRFC4754SHA384 = Self(constant: "ECDSASignatureMessageRFC4754SHA384")
    /// r ‖ s over the SHA-512 digest of a message.
    public static let ecdsaSignatureMessageRFC4754SHA512 = Self(constant: "ECDSASignatureMessageRFC4754SHA512")
}
