/// Key exchange with elliptic curve keys.
extension SecKeyAlgorithm {
    /// ECDH: the shared X coordinate itself.
    public static let ecdhKeyExchangeStandard = Self(constant: "ECDHKeyExchangeStandard")
    /// ECDH and the X9.63 key derivation with SHA-1.
    public static let ecdhKeyExchangeStandardX963SHA1 = Self(constant: "ECDHKeyExchangeStandardX963SHA1")
    /// ECDH and the X9.63 key derivation with SHA-224.
    public static let ecdhKeyExchangeStandardX963SHA224 = Self(constant: "ECDHKeyExchangeStandardX963SHA224")
    /// ECDH and the X9.63 key derivation with SHA-256.
    public static let ecdhKeyExchangeStandardX963SHA256 = Self(constant: "ECDHKeyExchangeStandardX963SHA256")
    /// ECDH and the X9.63 key derivation with SHA-384.
    public static let ecdhKeyExchangeStandardX963SHA384 = Self(constant: "ECDHKeyExchangeStandardX963SHA384")
    /// ECDH and the X9.63 key derivation with SHA-512.
    public static let ecdhKeyExchangeStandardX963SHA512 = Self(constant: "ECDHKeyExchangeStandardX963SHA512")
    /// Cofactor ECDH: the shared X coordinate itself.
    public static let ecdhKeyExchangeCofactor = Self(constant: "ECDHKeyExchangeCofactor")
    /// Cofactor ECDH and the X9.63 key derivation with SHA-1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = Self(constant: "ECDHKeyExchangeCofactorX963SHA1")
    /// Cofactor ECDH and the X9.63 key derivation with SHA-224.
    public static let ecdhKeyExchangeCofactorX963SHA224 = Self(constant: "ECDHKeyExchangeCofactorX963SHA224")
    /// Cofactor ECDH and the X9.63 key derivation with SHA-256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = Self(constant: "ECDHKeyExchangeCofactorX963SHA256")
    /// Cofactor ECDH and the X9.63 key derivation with SHA-384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = Self(constant: "ECDHKeyExchangeCofactorX963SHA384")
    /// Cofactor ECDH and the X9.63 key derivation with SHA-512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = Self(constant: "ECDHKeyExchangeCofactorX963SHA512")
}
