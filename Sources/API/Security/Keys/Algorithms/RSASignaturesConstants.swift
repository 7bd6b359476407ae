// Signatures with RSA keys (RFC 8017). The names that C has; Swift has them as members of `SecKeyAlgorithm`.

/// The private operation on a whole block, without padding.
public let kSecKeyAlgorithmRSASignatureRaw = SecKeyAlgorithm.rsaSignatureRaw
/// PKCS #1 v1.5 padding around the given bytes, without naming a hash.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15Raw
/// PKCS #1 v1.5 over a SHA-1 digest.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA1
/// PKCS #1 v1.5 over a SHA-224 digest.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA224
/// PKCS #1 v1.5 over a SHA-256 digest.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA256
/// PKCS #1 v1.5 over a SHA-384 digest.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA384
/// PKCS #1 v1.5 over a SHA-512 digest.
public let kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA512
/// PKCS #1 v1.5 over the SHA-1 digest of a message.
public let kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA1
/// PKCS #1 v1.5 over the SHA-224 digest of a message.
public let kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA224
/// PKCS #1 v1.5 over the SHA-256 digest of a message.
public let kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
/// PKCS #1 v1.5 over the SHA-384 digest of a message.
public let kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA384
/// PKCS #1 v1.5 over the SHA-512 digest of a message.
public let kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA512
/// PSS over a SHA-1 digest, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureDigestPSSSHA1 = SecKeyAlgorithm.rsaSignatureDigestPSSSHA1
/// PSS over a SHA-224 digest, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureDigestPSSSHA224 = SecKeyAlgorithm.rsaSignatureDigestPSSSHA224
/// PSS over a SHA-256 digest, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureDigestPSSSHA256 = SecKeyAlgorithm.rsaSignatureDigestPSSSHA256
/// PSS over a SHA-384 digest, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureDigestPSSSHA384 = SecKeyAlgorithm.rsaSignatureDigestPSSSHA384
/// PSS over a SHA-512 digest, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureDigestPSSSHA512 = SecKeyAlgorithm.rsaSignatureDigestPSSSHA512
/// PSS over the SHA-1 digest of a message, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureMessagePSSSHA1 = SecKeyAlgorithm.rsaSignatureMessagePSSSHA1
/// PSS over the SHA-224 digest of a message, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureMessagePSSSHA224 = SecKeyAlgorithm.rsaSignatureMessagePSSSHA224
/// PSS over the SHA-256 digest of a message, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureMessagePSSSHA256 = SecKeyAlgorithm.rsaSignatureMessagePSSSHA256
/// PSS over the SHA-384 digest of a message, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureMessagePSSSHA384 = SecKeyAlgorithm.rsaSignatureMessagePSSSHA384
/// PSS over the SHA-512 digest of a message, with a salt as long as the digest.
public let kSecKeyAlgorithmRSASignatureMessagePSSSHA512 = SecKeyAlgorithm.rsaSignatureMessagePSSSHA512
