import Security

extension PublishedAlgorithms {
    static let curveSignatures: [Row] = [
        (.ecdsaSignatureRFC4754, kSecKeyAlgorithmECDSASignatureRFC4754, "algid:sign:ECDSA:RFC4754"),
        (.ecdsaSignatureDigestX962, kSecKeyAlgorithmECDSASignatureDigestX962, "algid:sign:ECDSA:digest-X962"),
        (.ecdsaSignatureDigestRFC4754, kSecKeyAlgorithmECDSASignatureDigestRFC4754, "algid:sign:ECDSA:digest-RFC4754"),
        (
            .ecdsaSignatureDigestX962SHA1, kSecKeyAlgorithmECDSASignatureDigestX962SHA1,
            "algid:sign:ECDSA:digest-X962:SHA1"
        ),
        (
            .ecdsaSignatureMessageX962SHA1, kSecKeyAlgorithmECDSASignatureMessageX962SHA1,
            "algid:sign:ECDSA:message-X962:SHA1"
        ),
        (
            .ecdsaSignatureDigestRFC4754SHA1, kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA1,
            "algid:sign:ECDSA:digest-RFC4754:SHA1"
        ),
        (
            .ecdsaSignatureMessageRFC4754SHA1, kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA1,
            "algid:sign:ECDSA:message-RFC4754:SHA1"
        ),
        (
            .ecdsaSignatureDigestX962SHA224, kSecKeyAlgorithmECDSASignatureDigestX962SHA224,
            "algid:sign:ECDSA:digest-X962:SHA224"
        ),
        (
            .ecdsaSignatureMessageX962SHA224, kSecKeyAlgorithmECDSASignatureMessageX962SHA224,
            "algid:sign:ECDSA:message-X962:SHA224"
        ),
        (
            .ecdsaSignatureDigestRFC4754SHA224, kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA224,
            "algid:sign:ECDSA:digest-RFC4754:SHA224"
        ),
        (
            .ecdsaSignatureMessageRFC4754SHA224, kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA224,
            "algid:sign:ECDSA:message-RFC4754:SHA224"
        ),
        (
            .ecdsaSignatureDigestX962SHA256, kSecKeyAlgorithmECDSASignatureDigestX962SHA256,
            "algid:sign:ECDSA:digest-X962:SHA256"
        ),
        (
            .ecdsaSignatureMessageX962SHA256, kSecKeyAlgorithmECDSASignatureMessageX962SHA256,
            "algid:sign:ECDSA:message-X962:SHA256"
        ),
        (
            .ecdsaSignatureDigestRFC4754SHA256, kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA256,
            "algid:sign:ECDSA:digest-RFC4754:SHA256"
        ),
        (
            .ecdsaSignatureMessageRFC4754SHA256, kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA256,
            "algid:sign:ECDSA:message-RFC4754:SHA256"
        ),
        (
            .ecdsaSignatureDigestX962SHA384, kSecKeyAlgorithmECDSASignatureDigestX962SHA384,
            "algid:sign:ECDSA:digest-X962:SHA384"
        ),
        (
            .ecdsaSignatureMessageX962SHA384, kSecKeyAlgorithmECDSASignatureMessageX962SHA384,
            "algid:sign:ECDSA:message-X962:SHA384"
        ),
        (
            .ecdsaSignatureDigestRFC4754SHA384, kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA384,
            "algid:sign:ECDSA:digest-RFC4754:SHA384"
        ),
        (
            .ecdsaSignatureMessageRFC4754SHA384, kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA384,
            "algid:sign:ECDSA:message-RFC4754:SHA384"
        ),
        (
            .ecdsaSignatureDigestX962SHA512, kSecKeyAlgorithmECDSASignatureDigestX962SHA512,
            "algid:sign:ECDSA:digest-X962:SHA512"
        ),
        (
            .ecdsaSignatureMessageX962SHA512, kSecKeyAlgorithmECDSASignatureMessageX962SHA512,
            "algid:sign:ECDSA:message-X962:SHA512"
        ),
        (
            .ecdsaSignatureDigestRFC4754SHA512, kSecKeyAlgorithmECDSASignatureDigestRFC4754SHA512,
            "algid:sign:ECDSA:digest-RFC4754:SHA512"
        ),
        (
            .ecdsaSignatureMessageRFC4754SHA512, kSecKeyAlgorithmECDSASignatureMessageRFC4754SHA512,
            "algid:sign:ECDSA:message-RFC4754:SHA512"
        ),
    ]

    static let curveExchanges: [Row] = [
        (
            .eciesEncryptionStandardX963SHA1AESGCM, kSecKeyAlgorithmECIESEncryptionStandardX963SHA1AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"
        ),
        (
            .eciesEncryptionCofactorX963SHA1AESGCM, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA1AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"
        ),
        (
            .eciesEncryptionStandardX963SHA224AESGCM, kSecKeyAlgorithmECIESEncryptionStandardX963SHA224AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"
        ),
        (
            .eciesEncryptionCofactorX963SHA224AESGCM, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA224AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"
        ),
        (
            .eciesEncryptionStandardX963SHA256AESGCM, kSecKeyAlgorithmECIESEncryptionStandardX963SHA256AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"
        ),
        (
            .eciesEncryptionCofactorX963SHA256AESGCM, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA256AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"
        ),
        (
            .eciesEncryptionStandardX963SHA384AESGCM, kSecKeyAlgorithmECIESEncryptionStandardX963SHA384AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"
        ),
        (
            .eciesEncryptionCofactorX963SHA384AESGCM, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA384AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"
        ),
        (
            .eciesEncryptionStandardX963SHA512AESGCM, kSecKeyAlgorithmECIESEncryptionStandardX963SHA512AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"
        ),
        (
            .eciesEncryptionCofactorX963SHA512AESGCM, kSecKeyAlgorithmECIESEncryptionCofactorX963SHA512AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"
        ),
        (
            .eciesEncryptionStandardVariableIVX963SHA224AESGCM,
            kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA224AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionCofactorVariableIVX963SHA224AESGCM,
            kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA224AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
            kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA256AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
            kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA256AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionStandardVariableIVX963SHA384AESGCM,
            kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA384AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionCofactorVariableIVX963SHA384AESGCM,
            kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA384AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionStandardVariableIVX963SHA512AESGCM,
            kSecKeyAlgorithmECIESEncryptionStandardVariableIVX963SHA512AESGCM,
            "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"
        ),
        (
            .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
            kSecKeyAlgorithmECIESEncryptionCofactorVariableIVX963SHA512AESGCM,
            "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"
        ),
        (.ecdhKeyExchangeStandard, kSecKeyAlgorithmECDHKeyExchangeStandard, "algid:keyexchange:ECDH"),
        (.ecdhKeyExchangeCofactor, kSecKeyAlgorithmECDHKeyExchangeCofactor, "algid:keyexchange:ECDHC"),
        (
            .ecdhKeyExchangeStandardX963SHA1, kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA1,
            "algid:keyexchange:ECDH:KDFX963:SHA1"
        ),
        (
            .ecdhKeyExchangeCofactorX963SHA1, kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA1,
            "algid:keyexchange:ECDHC:KDFX963:SHA1"
        ),
        (
            .ecdhKeyExchangeStandardX963SHA224, kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA224,
            "algid:keyexchange:ECDH:KDFX963:SHA224"
        ),
        (
            .ecdhKeyExchangeCofactorX963SHA224, kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA224,
            "algid:keyexchange:ECDHC:KDFX963:SHA224"
        ),
        (
            .ecdhKeyExchangeStandardX963SHA256, kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA256,
            "algid:keyexchange:ECDH:KDFX963:SHA256"
        ),
        (
            .ecdhKeyExchangeCofactorX963SHA256, kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA256,
            "algid:keyexchange:ECDHC:KDFX963:SHA256"
        ),
        (
            .ecdhKeyExchangeStandardX963SHA384, kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA384,
            "algid:keyexchange:ECDH:KDFX963:SHA384"
        ),
        (
            .ecdhKeyExchangeCofactorX963SHA384, kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA384,
            "algid:keyexchange:ECDHC:KDFX963:SHA384"
        ),
        (
            .ecdhKeyExchangeStandardX963SHA512, kSecKeyAlgorithmECDHKeyExchangeStandardX963SHA512,
            "algid:keyexchange:ECDH:KDFX963:SHA512"
        ),
        (
            .ecdhKeyExchangeCofactorX963SHA512, kSecKeyAlgorithmECDHKeyExchangeCofactorX963SHA512,
            "algid:keyexchange:ECDHC:KDFX963:SHA512"
        ),
    ]
}
