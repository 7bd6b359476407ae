/// Encryption with RSA keys (RFC 8017) and with elliptic curve keys (ECIES).
extension SecKeyAlgorithm {
    /// The public operation on a whole block, without padding.
    public static let rsaEncryptionRaw = Self(constant: "RSAEncryptionRaw")
    /// PKCS #1 v1.5 padding.
    public static let rsaEncryptionPKCS1 = Self(constant: "RSAEncryptionPKCS1")
    /// OAEP with SHA-1.
    public static let rsaEncryptionOAEPSHA1 = Self(constant: "RSAEncryptionOAEPSHA1")
    /// OAEP with SHA-224.
    public static let rsaEncryptionOAEPSHA224 = Self(constant: "RSAEncryptionOAEPSHA224")
    /// OAEP with SHA-256.
    public static let rsaEncryptionOAEPSHA256 = Self(constant: "RSAEncryptionOAEPSHA256")
    /// OAEP with SHA-384.
    public static let rsaEncryptionOAEPSHA384 = Self(constant: "RSAEncryptionOAEPSHA384")
    /// OAEP with SHA-512.
    public static let rsaEncryptionOAEPSHA512 = Self(constant: "RSAEncryptionOAEPSHA512")
    /// AES-GCM under a key that OAEP with SHA-1 wraps.
    public static let rsaEncryptionOAEPSHA1AESGCM = Self(constant: "RSAEncryptionOAEPSHA1AESGCM")
    /// AES-GCM under a key that OAEP with SHA-224 wraps.
    public static let rsaEncryptionOAEPSHA224AESGCM = Self(constant: "RSAEncryptionOAEPSHA224AESGCM")
    /// AES-GCM under a key that OAEP with SHA-256 wraps.
    public static let rsaEncryptionOAEPSHA256AESGCM = Self(constant: "RSAEncryptionOAEPSHA256AESGCM")
    /// AES-GCM under a key that OAEP with SHA-384 wraps.
    public static let rsaEncryptionOAEPSHA384AESGCM = Self(constant: "RSAEncryptionOAEPSHA384AESGCM")
    /// AES-GCM under a key that OAEP with SHA-512 wraps.
    public static let rsaEncryptionOAEPSHA512AESGCM = Self(constant: "RSAEncryptionOAEPSHA512AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
    public static let eciesEncryptionStandardX963SHA1AESGCM = Self(constant: "ECIESEncryptionStandardX963SHA1AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
    public static let eciesEncryptionStandardX963SHA224AESGCM = Self(
        constant: "ECIESEncryptionStandardX963SHA224AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
    public static let eciesEncryptionStandardX963SHA256AESGCM = Self(
        constant: "ECIESEncryptionStandardX963SHA256AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
    public static let eciesEncryptionStandardX963SHA384AESGCM = Self(
        constant: "ECIESEncryptionStandardX963SHA384AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
    public static let eciesEncryptionStandardX963SHA512AESGCM = Self(
        constant: "ECIESEncryptionStandardX963SHA512AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = Self(
        constant: "ECIESEncryptionStandardVariableIVX963SHA224AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = Self(
        constant: "ECIESEncryptionStandardVariableIVX963SHA256AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = Self(
        constant: "ECIESEncryptionStandardVariableIVX963SHA384AESGCM")
    /// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = Self(
        constant: "ECIESEncryptionStandardVariableIVX963SHA512AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
    public static let eciesEncryptionCofactorX963SHA1AESGCM = Self(constant: "ECIESEncryptionCofactorX963SHA1AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
    public static let eciesEncryptionCofactorX963SHA224AESGCM = Self(
        constant: "ECIESEncryptionCofactorX963SHA224AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
    public static let eciesEncryptionCofactorX963SHA256AESGCM = Self(
        constant: "ECIESEncryptionCofactorX963SHA256AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
    public static let eciesEncryptionCofactorX963SHA384AESGCM = Self(
        constant: "ECIESEncryptionCofactorX963SHA384AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
    public static let eciesEncryptionCofactorX963SHA512AESGCM = Self(
        constant: "ECIESEncryptionCofactorX963SHA512AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = Self(
        constant: "ECIESEncryptionCofactorVariableIVX963SHA224AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = Self(
        constant: "ECIESEncryptionCofactorVariableIVX963SHA256AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = Self(
        constant: "ECIESEncryptionCofactorVariableIVX963SHA384AESGCM")
    /// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = Self(
        constant: "ECIESEncryptionCofactorVariableIVX963SHA512AESGCM")
}
