// Algorithms of keys.
#ifndef SECURITY_SECKEYALGORITHMS_H
#define SECURITY_SECKEYALGORITHMS_H

#include <Security/SecBase.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

typedef CFStringRef SecKeyAlgorithm;
// A key of the dictionary that a key exchange is given.
typedef CFStringRef SecKeyKeyExchangeParameter;

// Signatures with RSA keys (RFC 8017):
// The private operation on a whole block, without padding.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureRaw;
// PKCS #1 v1.5 padding around the given bytes, without naming a hash.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1;  // PKCS #1 v1.5 over a SHA-1 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224;  // PKCS #1 v1.5 over a SHA-224 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256;  // PKCS #1 v1.5 over a SHA-256 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384;  // PKCS #1 v1.5 over a SHA-384 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512;  // PKCS #1 v1.5 over a SHA-512 digest.
// PKCS #1 v1.5 over the SHA-1 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1;
// PKCS #1 v1.5 over the SHA-224 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224;
// PKCS #1 v1.5 over the SHA-256 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256;
// PKCS #1 v1.5 over the SHA-384 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384;
// PKCS #1 v1.5 over the SHA-512 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512;
// PSS over a SHA-1 digest, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA1;
// PSS over a SHA-224 digest, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA224;
// PSS over a SHA-256 digest, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA256;
// PSS over a SHA-384 digest, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA384;
// PSS over a SHA-512 digest, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureDigestPSSSHA512;
// PSS over the SHA-1 digest of a message, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA1;
// PSS over the SHA-224 digest of a message, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA224;
// PSS over the SHA-256 digest of a message, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA256;
// PSS over the SHA-384 digest of a message, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA384;
// PSS over the SHA-512 digest of a message, with a salt as long as the digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSASignatureMessagePSSSHA512;

// Signatures with elliptic curve keys: DER (X9.62), or r || s (RFC 4754):
// r || s over the given digest. The older name of ecdsaSignatureDigestRFC4754.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureRFC4754;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962;  // DER over the given digest, of any hash.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA1;  // DER over a SHA-1 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA224;  // DER over a SHA-224 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA256;  // DER over a SHA-256 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA384;  // DER over a SHA-384 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestX962SHA512;  // DER over a SHA-512 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA1;  // DER over the SHA-1 digest of a message.
// DER over the SHA-224 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA224;
// DER over the SHA-256 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA256;
// DER over the SHA-384 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA384;
// DER over the SHA-512 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageX962SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754;  // r || s over the given digest, of any hash.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1;  // r || s over a SHA-1 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224;  // r || s over a SHA-224 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256;  // r || s over a SHA-256 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384;  // r || s over a SHA-384 digest.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512;  // r || s over a SHA-512 digest.
// r || s over the SHA-1 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1;
// r || s over the SHA-224 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224;
// r || s over the SHA-256 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256;
// r || s over the SHA-384 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384;
// r || s over the SHA-512 digest of a message.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512;

// Encryption:
// The public operation on a whole block, without padding.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionRaw;
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionPKCS1;  // PKCS #1 v1.5 padding.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1;  // OAEP with SHA-1.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224;  // OAEP with SHA-224.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256;  // OAEP with SHA-256.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384;  // OAEP with SHA-384.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512;  // OAEP with SHA-512.
// AES-GCM under a key that OAEP with SHA-1 wraps.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM;
// AES-GCM under a key that OAEP with SHA-224 wraps.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM;
// AES-GCM under a key that OAEP with SHA-256 wraps.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM;
// AES-GCM under a key that OAEP with SHA-384 wraps.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM;
// AES-GCM under a key that OAEP with SHA-512 wraps.
extern const SecKeyAlgorithm kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM;
// ECIES: ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM;
// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM;
// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM;
// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM;
// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM;
// ECIES: ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM;
// ECIES: ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM;
// ECIES: ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM;
// ECIES: ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-1, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with an IV of zeros.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-224, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-256, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-384, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM;
// ECIES: cofactor ECDH, X9.63 with SHA-512, AES-GCM with a derived IV.
extern const SecKeyAlgorithm kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM;

// Key exchange (SP 800-56A):
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandard;  // ECDH: the shared X coordinate itself.
// ECDH and the X9.63 key derivation with SHA-1.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1;
// ECDH and the X9.63 key derivation with SHA-224.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224;
// ECDH and the X9.63 key derivation with SHA-256.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256;
// ECDH and the X9.63 key derivation with SHA-384.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384;
// ECDH and the X9.63 key derivation with SHA-512.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512;
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactor;  // Cofactor ECDH: the shared X coordinate itself.
// Cofactor ECDH and the X9.63 key derivation with SHA-1.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1;
// Cofactor ECDH and the X9.63 key derivation with SHA-224.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224;
// Cofactor ECDH and the X9.63 key derivation with SHA-256.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256;
// Cofactor ECDH and the X9.63 key derivation with SHA-384.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384;
// Cofactor ECDH and the X9.63 key derivation with SHA-512.
extern const SecKeyAlgorithm kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512;

// Parameters of a key exchange:
// How many bytes the key derivation makes, a number.
extern const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterRequestedSize;
// Data that is bound into the derived key; empty unless given.
extern const SecKeyKeyExchangeParameter kSecKeyKeyExchangeParameterSharedInfo;

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
