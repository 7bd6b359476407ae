import Security

/// Every algorithm of Apple's public headers under both of its names, with its identifier from rule
/// keys.algorithm.table.
enum PublishedAlgorithms {
    typealias Row = (member: SecKeyAlgorithm, constant: SecKeyAlgorithm, identifier: String)

    static let all: [Row] = rsaAlgorithms + curveSignatures + curveExchanges

    private static let rsaAlgorithms: [Row] = [
        (.rsaSignatureRaw, kSecKeyAlgorithmRSASignatureRaw, "algid:sign:RSA:raw"),
        (
            .rsaSignatureDigestPKCS1v15Raw, kSecKeyAlgorithmRSASignatureDigestPKCS1v15Raw,
            "algid:sign:RSA:digest-PKCS1v15"
        ),
        (
            .rsaSignatureDigestPKCS1v15SHA1, kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA1,
            "algid:sign:RSA:digest-PKCS1v15:SHA1"
        ),
        (
            .rsaSignatureMessagePKCS1v15SHA1, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA1,
            "algid:sign:RSA:message-PKCS1v15:SHA1"
        ),
        (
            .rsaSignatureDigestPSSSHA1, kSecKeyAlgorithmRSASignatureDigestPSSSHA1,
            "algid:sign:RSA:digest-PSS:SHA1:SHA1:20"
        ),
        (
            .rsaSignatureMessagePSSSHA1, kSecKeyAlgorithmRSASignatureMessagePSSSHA1,
            "algid:sign:RSA:message-PSS:SHA1:SHA1:20"
        ),
        (
            .rsaSignatureDigestPKCS1v15SHA224, kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA224,
            "algid:sign:RSA:digest-PKCS1v15:SHA224"
        ),
        (
            .rsaSignatureMessagePKCS1v15SHA224, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA224,
            "algid:sign:RSA:message-PKCS1v15:SHA224"
        ),
        (
            .rsaSignatureDigestPSSSHA224, kSecKeyAlgorithmRSASignatureDigestPSSSHA224,
            "algid:sign:RSA:digest-PSS:SHA224:SHA224:24"
        ),
        (
            .rsaSignatureMessagePSSSHA224, kSecKeyAlgorithmRSASignatureMessagePSSSHA224,
            "algid:sign:RSA:message-PSS:SHA224:SHA224:24"
        ),
        (
            .rsaSignatureDigestPKCS1v15SHA256, kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA256,
            "algid:sign:RSA:digest-PKCS1v15:SHA256"
        ),
        (
            .rsaSignatureMessagePKCS1v15SHA256, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA256,
            "algid:sign:RSA:message-PKCS1v15:SHA256"
        ),
        (
            .rsaSignatureDigestPSSSHA256, kSecKeyAlgorithmRSASignatureDigestPSSSHA256,
            "algid:sign:RSA:digest-PSS:SHA256:SHA256:32"
        ),
        (
            .rsaSignatureMessagePSSSHA256, kSecKeyAlgorithmRSASignatureMessagePSSSHA256,
            "algid:sign:RSA:message-PSS:SHA256:SHA256:32"
        ),
        (
            .rsaSignatureDigestPKCS1v15SHA384, kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA384,
            "algid:sign:RSA:digest-PKCS1v15:SHA384"
        ),
        (
            .rsaSignatureMessagePKCS1v15SHA384, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA384,
            "algid:sign:RSA:message-PKCS1v15:SHA384"
        ),
        (
            .rsaSignatureDigestPSSSHA384, kSecKeyAlgorithmRSASignatureDigestPSSSHA384,
            "algid:sign:RSA:digest-PSS:SHA384:SHA384:48"
        ),
        (
            .rsaSignatureMessagePSSSHA384, kSecKeyAlgorithmRSASignatureMessagePSSSHA384,
            "algid:sign:RSA:message-PSS:SHA384:SHA384:48"
        ),
        (
            .rsaSignatureDigestPKCS1v15SHA512, kSecKeyAlgorithmRSASignatureDigestPKCS1v15SHA512,
            "algid:sign:RSA:digest-PKCS1v15:SHA512"
        ),
        (
            .rsaSignatureMessagePKCS1v15SHA512, kSecKeyAlgorithmRSASignatureMessagePKCS1v15SHA512,
            "algid:sign:RSA:message-PKCS1v15:SHA512"
        ),
        (
            .rsaSignatureDigestPSSSHA512, kSecKeyAlgorithmRSASignatureDigestPSSSHA512,
            "algid:sign:RSA:digest-PSS:SHA512:SHA512:64"
        ),
        (
            .rsaSignatureMessagePSSSHA512, kSecKeyAlgorithmRSASignatureMessagePSSSHA512,
            "algid:sign:RSA:message-PSS:SHA512:SHA512:64"
        ),
        (.rsaEncryptionRaw, kSecKeyAlgorithmRSAEncryptionRaw, "algid:encrypt:RSA:raw"),
        (.rsaEncryptionPKCS1, kSecKeyAlgorithmRSAEncryptionPKCS1, "algid:encrypt:RSA:PKCS1"),
        (.rsaEncryptionOAEPSHA1, kSecKeyAlgorithmRSAEncryptionOAEPSHA1, "algid:encrypt:RSA:OAEP:SHA1"),
        (
            .rsaEncryptionOAEPSHA1AESGCM, kSecKeyAlgorithmRSAEncryptionOAEPSHA1AESGCM,
            "algid:encrypt:RSA:OAEP:SHA1:AESGCM"
        ),
        (.rsaEncryptionOAEPSHA224, kSecKeyAlgorithmRSAEncryptionOAEPSHA224, "algid:encrypt:RSA:OAEP:SHA224"),
        (
            .rsaEncryptionOAEPSHA224AESGCM, kSecKeyAlgorithmRSAEncryptionOAEPSHA224AESGCM,
            "algid:encrypt:RSA:OAEP:SHA224:AESGCM"
        ),
        (.rsaEncryptionOAEPSHA256, kSecKeyAlgorithmRSAEncryptionOAEPSHA256, "algid:encrypt:RSA:OAEP:SHA256"),
        (
            .rsaEncryptionOAEPSHA256AESGCM, kSecKeyAlgorithmRSAEncryptionOAEPSHA256AESGCM,
            "algid:encrypt:RSA:OAEP:SHA256:AESGCM"
        ),
        (.rsaEncryptionOAEPSHA384, kSecKeyAlgorithmRSAEncryptionOAEPSHA384, "algid:encrypt:RSA:OAEP:SHA384"),
        (
            .rsaEncryptionOAEPSHA384AESGCM, kSecKeyAlgorithmRSAEncryptionOAEPSHA384AESGCM,
            "algid:encrypt:RSA:OAEP:SHA384:AESGCM"
        ),
        (.rsaEncryptionOAEPSHA512, kSecKeyAlgorithmRSAEncryptionOAEPSHA512, "algid:encrypt:RSA:OAEP:SHA512"),
        (
            .rsaEncryptionOAEPSHA512AESGCM, kSecKeyAlgorithmRSAEncryptionOAEPSHA512AESGCM,
            "algid:encrypt:RSA:OAEP:SHA512:AESGCM"
        ),
    ]
}
