/// A row is one construction with every hash function that it is offered with. In the identifier, `#` stands for the
/// hash's name and `%` for the salt length.
private struct Row {
    let constant: String
    let name: String
    let hashes: [HashFunction]
    let construction: @Sendable (HashFunction) -> KeyAlgorithm.Construction

    init(
        _ constant: String, _ name: String, _ hashes: [HashFunction],
        _ construction: @escaping @Sendable (HashFunction) -> KeyAlgorithm.Construction
    ) {
        (self.constant, self.name, self.hashes, self.construction) = (constant, name, hashes, construction)
    }

    /// A row for one algorithm without a hash.
    init(_ constant: String, _ name: String, _ construction: KeyAlgorithm.Construction) {
        self.init(constant, name, [.sha512]) { _ in construction }
    }

    var algorithms: [KeyAlgorithm] {
        hashes.map { hash in
            KeyAlgorithm(
                name: "algid:" + filled(name, hash), constant: filled(constant, hash), construction: construction(hash))
        }
    }

    private func filled(_ template: String, _ hash: HashFunction) -> String {
        var text = ""
        for character in template {
            switch character {
            case "#": text += hash.rawValue
            case "%": text += String(saltInName(hash))
            default: text.append(character)
            }
        }
        return text
    }

    // Apple's identifier for SHA-224 says 24, although the salt has the digest's 28 bytes.
    private func saltInName(_ hash: HashFunction) -> Int { hash == .sha224 ? 24 : hash.size }
}

private let sha: [HashFunction] = [.sha1, .sha224, .sha256, .sha384, .sha512]
private let sha2: [HashFunction] = [.sha224, .sha256, .sha384, .sha512]
private let md5AndSHA: [HashFunction] = [.md5] + sha

private let rows: [Row] = [
    Row("RSASignatureRaw", "sign:RSA:raw", .signature(.rsaRaw, of: .bytes)),
    Row("RSASignatureDigestPKCS1v15Raw", "sign:RSA:digest-PKCS1v15", .signature(.rsaPKCS1, of: .bytes)),
    Row("RSASignatureDigestPKCS1v15#", "sign:RSA:digest-PKCS1v15:#", md5AndSHA) {
        .signature(.rsaPKCS1, of: .digest($0))
    },
    Row("RSASignatureMessagePKCS1v15#", "sign:RSA:message-PKCS1v15:#", md5AndSHA) {
        .signature(.rsaPKCS1, of: .message($0))
    },
    Row("RSASignatureDigestPSS#", "sign:RSA:digest-PSS:#:#:%", sha) { .signature(.rsaPSS, of: .digest($0)) },
    Row("RSASignatureMessagePSS#", "sign:RSA:message-PSS:#:#:%", sha) { .signature(.rsaPSS, of: .message($0)) },

    Row("ECDSASignatureDigestX962", "sign:ECDSA:digest-X962", .signature(.ecdsaX962, of: .bytes)),
    Row("ECDSASignatureDigestX962#", "sign:ECDSA:digest-X962:#", sha) { .signature(.ecdsaX962, of: .digest($0)) },
    Row("ECDSASignatureMessageX962#", "sign:ECDSA:message-X962:#", sha) { .signature(.ecdsaX962, of: .message($0)) },
    Row("ECDSASignatureRFC4754", "sign:ECDSA:RFC4754", .signature(.ecdsaRFC4754, of: .bytes)),
    Row("ECDSASignatureDigestRFC4754", "sign:ECDSA:digest-RFC4754", .signature(.ecdsaRFC4754, of: .bytes)),
    Row("ECDSASignatureDigestRFC4754#", "sign:ECDSA:digest-RFC4754:#", sha) {
        .signature(.ecdsaRFC4754, of: .digest($0))
    },
    Row("ECDSASignatureMessageRFC4754#", "sign:ECDSA:message-RFC4754:#", sha) {
        .signature(.ecdsaRFC4754, of: .message($0))
    },
    Row(
        "EdDSASignatureMessageCurve25519SHA512", "sign:EdDSA:message-Curve25519:SHA512",
        .signature(.ed25519, of: .bytes)),

    Row("RSAEncryptionRaw", "encrypt:RSA:raw", .encryption(.rsaRaw)),
    Row("RSAEncryptionPKCS1", "encrypt:RSA:PKCS1", .encryption(.rsaPKCS1)),
    Row("RSAEncryptionOAEP#", "encrypt:RSA:OAEP:#", sha) { .encryption(.rsaOAEP($0)) },
    Row("RSAEncryptionOAEP#AESGCM", "encrypt:RSA:OAEP:#:AESGCM", sha) { .encryption(.rsaOAEPAESGCM($0)) },

    Row("ECIESEncryptionStandardX963#AESGCM", "encrypt:ECIES:ECDH:KDFX963:#:AESGCM", sha) {
        .encryption(.ecies(KeyAlgorithm.ECIES(cofactor: false, hash: $0, derivesIV: false)))
    },
    Row("ECIESEncryptionCofactorX963#AESGCM", "encrypt:ECIES:ECDHC:KDFX963:#:AESGCM", sha) {
        .encryption(.ecies(KeyAlgorithm.ECIES(cofactor: true, hash: $0, derivesIV: false)))
    },
    Row("ECIESEncryptionStandardVariableIVX963#AESGCM", "encrypt:ECIES:ECDH:KDFX963:#:AESGCM-KDFIV", sha2) {
        .encryption(.ecies(KeyAlgorithm.ECIES(cofactor: false, hash: $0, derivesIV: true)))
    },
    Row("ECIESEncryptionCofactorVariableIVX963#AESGCM", "encrypt:ECIES:ECDHC:KDFX963:#:AESGCM-KDFIV", sha2) {
        .encryption(.ecies(KeyAlgorithm.ECIES(cofactor: true, hash: $0, derivesIV: true)))
    },

    Row("ECDHKeyExchangeStandard", "keyexchange:ECDH", .keyExchange(.init(cofactor: false, derivation: nil))),
    Row("ECDHKeyExchangeStandardX963#", "keyexchange:ECDH:KDFX963:#", sha) {
        .keyExchange(KeyAlgorithm.KeyExchange(cofactor: false, derivation: $0))
    },
    Row("ECDHKeyExchangeCofactor", "keyexchange:ECDHC", .keyExchange(.init(cofactor: true, derivation: nil))),
    Row("ECDHKeyExchangeCofactorX963#", "keyexchange:ECDHC:KDFX963:#", sha) {
        .keyExchange(KeyAlgorithm.KeyExchange(cofactor: true, derivation: $0))
    },
]

extension KeyAlgorithm {
    /// All algorithms, in the order of rule keys.algorithm.table.
    package static let all: [KeyAlgorithm] = rows.flatMap(\.algorithms)
}
