// Encryption with RSA keys (RFC 8017) and with elliptic curve keys (ECIES). The names that C has; Swift has them as
// members of `SecKeyAlgorithm`.

/// The public operation on a whole block, without padding.
public let kSecKeyAlgorithmRSAEncryptionRaw = SecKeyAlgorithm.rsaEncryptionRaw
/// PKCS #1 v1.5 padding.
public let kSecKeyAlgorithmRSAEncryptionPKCS1 = SecKeyAlgorithm.rsaEncryptionPKCS1
/// OAEP with SHA-1.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA1 = SecKeyAlgorithm.rsaEncryptionOAEPSHA1
/// OAEP with SHA-224.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA224 = SecKeyAlgorithm.rsaEncryptionOAEPSHA224
/// OAEP with SHA-256.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA256 = SecKeyAlgorithm.rsaEncryptionOAEPSHA256
/// OAEP with SHA-384.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA384 = SecKeyAlgorithm.rsaEncryptionOAEPSHA384
/// OAEP with SHA-512.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA512 = SecKeyAlgorithm.rsaEncryptionOAEPSHA512
/// AES-GCM under a key that OAEP with SHA-1 wraps.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM = SecKeyAlgorithm.rsaEncryptionOAEPSHA1AESGCM
/// AES-GCM under a key that OAEP with SHA-224 wraps.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM = SecKeyAlgorithm.rsaEncryptionOAEPSHA224AESGCM
/// AES-GCM under a key that OAEP with SHA-256 wraps.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM = SecKeyAlgorithm.rsaEncryptionOAEPSHA256AESGCM
/// AES-GCM under a key that OAEP with SHA-384 wraps.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM = SecKeyAlgorithm.rsaEncryptionOAEPSHA384AESGCM
/// AES-GCM under a key that OAEP with SHA-512 wraps.
public let kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM = SecKeyAlgorithm.rsaEncryptionOAEPSHA512AESGCM
/// ECIES: ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM = SecKeyAlgorithm.eciesEncryptionStandardX963SHA1AESGCM
/// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardX963SHA224AESGCM
/// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardX963SHA256AESGCM
/// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardX963SHA384AESGCM
/// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardX963SHA512AESGCM
/// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardVariableIVX963SHA224AESGCM
/// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardVariableIVX963SHA256AESGCM
/// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardVariableIVX963SHA384AESGCM
/// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM = SecKeyAlgorithm
    .eciesEncryptionStandardVariableIVX963SHA512AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM = SecKeyAlgorithm.eciesEncryptionCofactorX963SHA1AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorX963SHA224AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorX963SHA256AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorX963SHA384AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
public let kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorX963SHA512AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorVariableIVX963SHA224AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorVariableIVX963SHA256AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorVariableIVX963SHA384AESGCM
/// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
public let kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM = SecKeyAlgorithm
    .eciesEncryptionCofactorVariableIVX963SHA512AESGCM
