// Keys: making them, and what is done with them.
#ifndef SECURITY_SECKEY_H
#define SECURITY_SECKEY_H

#include <Security/SecBase.h>
#include <Security/SecItemAttributes.h>
#include <Security/SecKeyAlgorithms.h>

SEC_EXTERN_C_BEGIN
SEC_ASSUME_NONNULL_BEGIN

// Paddings of the older functions.
typedef CF_OPTIONS(uint32_t, SecPadding) {
    kSecPaddingNone = 0,
    kSecPaddingPKCS1 = 1,
    kSecPaddingOAEP = 2,
    // r || s rather than DER, with curves.
    kSecPaddingSigRaw = 0x4000,
    // The input is a digest, which is put into a DigestInfo.
    kSecPaddingPKCS1MD2 = 0x8000,
    kSecPaddingPKCS1MD5 = 0x8001,
    kSecPaddingPKCS1SHA1 = 0x8002,
    kSecPaddingPKCS1SHA224 = 0x8003,
    kSecPaddingPKCS1SHA256 = 0x8004,
    kSecPaddingPKCS1SHA384 = 0x8005,
    kSecPaddingPKCS1SHA512 = 0x8006,
};

// Operations of a key.
typedef CF_ENUM(CFIndex, SecKeyOperationType) {
    kSecKeyOperationTypeSign = 0,
    kSecKeyOperationTypeVerify = 1,
    kSecKeyOperationTypeEncrypt = 2,
    kSecKeyOperationTypeDecrypt = 3,
    kSecKeyOperationTypeKeyExchange = 4,
};

CFTypeID SecKeyGetTypeID(void);

// Makes a key pair and returns the private key. Dictionaries under kSecPrivateKeyAttrs and kSecPublicKeyAttrs say what
// is kept.
SecKeyRef SEC_NULLABLE SecKeyCreateRandomKey(
    CFDictionaryRef parameters, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Makes a key pair and returns both halves.
OSStatus SecKeyGeneratePair(
    CFDictionaryRef parameters, SecKeyRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED publicKey,
    SecKeyRef SEC_NULLABLE *SEC_NULLABLE SEC_RETAINED privateKey);

// Makes a key of its external representation: PKCS #1 for RSA; 04 || X || Y for curves, and || K for private keys.
SecKeyRef SEC_NULLABLE SecKeyCreateWithData(
    CFDataRef keyData, CFDictionaryRef attributes, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// The size of the modulus, or of a coordinate, in bytes; 0 for what is no key.
size_t SecKeyGetBlockSize(SecKeyRef key);

// The key's external representation, unless it cannot leave the place where it is.
CFDataRef SEC_NULLABLE SecKeyCopyExternalRepresentation(
    SecKeyRef key, CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// The key's attributes, under the keys its item would have.
CFDictionaryRef SEC_NULLABLE SecKeyCopyAttributes(SecKeyRef key) SEC_RETAINED;

// The public half.
SecKeyRef SEC_NULLABLE SecKeyCopyPublicKey(SecKeyRef key) SEC_RETAINED;

// Signs a message, or a digest, as the algorithm says.
CFDataRef SEC_NULLABLE SecKeyCreateSignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef dataToSign,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Verifies a signature with a public key.
Boolean SecKeyVerifySignature(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef signedData, CFDataRef signature,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error);

// Encrypts with a public key.
CFDataRef SEC_NULLABLE SecKeyCreateEncryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef plaintext,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Decrypts with a private key.
CFDataRef SEC_NULLABLE SecKeyCreateDecryptedData(
    SecKeyRef key, SecKeyAlgorithm algorithm, CFDataRef ciphertext,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Makes of one's own private key and another's public key the secret that both can make.
CFDataRef SEC_NULLABLE SecKeyCopyKeyExchangeResult(
    SecKeyRef privateKey, SecKeyAlgorithm algorithm, SecKeyRef publicKey, CFDictionaryRef parameters,
    CFErrorRef SEC_NULLABLE *SEC_NULLABLE error) SEC_RETAINED;

// Whether a key can be used with an algorithm.
Boolean SecKeyIsAlgorithmSupported(SecKeyRef key, SecKeyOperationType operation, SecKeyAlgorithm algorithm);

// The older functions. Lengths of output: in, the room there is; out, what was written.
OSStatus SecKeyRawSign(
    SecKeyRef key, SecPadding padding, const uint8_t *dataToSign, size_t dataToSignLen, uint8_t *sig, size_t *sigLen);
OSStatus SecKeyRawVerify(
    SecKeyRef key, SecPadding padding, const uint8_t *signedData, size_t signedDataLen, const uint8_t *sig,
    size_t sigLen);
OSStatus SecKeyEncrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *plainText, size_t plainTextLen, uint8_t *cipherText,
    size_t *cipherTextLen);
OSStatus SecKeyDecrypt(
    SecKeyRef key, SecPadding padding, const uint8_t *cipherText, size_t cipherTextLen, uint8_t *plainText,
    size_t *plainTextLen);

SEC_ASSUME_NONNULL_END
SEC_EXTERN_C_END

#endif
