import KeychainModel

/// The tables of keys in `docs/reference.md`.
enum AlgorithmTables {
    static var types: String {
        markdown(
            ["constant", "value", "bits", "external representation"],
            KeyType.allCases.map { [$0.constant, "`\($0.rawValue)`", $0.sizes, $0.representation] })
    }

    static var algorithms: String {
        markdown(
            ["kSecKeyAlgorithm…", "identifier", "keys", "what is computed"],
            KeyAlgorithm.all.map { [$0.constant, "`\($0.name)`", $0.keys, $0.construction.meaning] })
    }
}

extension KeyType {
    fileprivate var representation: String {
        switch self {
        case .rsa: "PKCS #1 `RSAPublicKey`, `RSAPrivateKey`"
        case .ecSECPrimeRandom: "04 ‖ X ‖ Y; private keys 04 ‖ X ‖ Y ‖ K"
        case .ed25519, .x25519: "32 bytes"
        }
    }

    fileprivate var name: String {
        switch self {
        case .rsa: "RSA"
        case .ecSECPrimeRandom: "EC"
        case .ed25519: "Ed25519"
        case .x25519: "X25519"
        }
    }
}

extension KeyAlgorithm {
    /// Which keys it works with; where a size is too small for it, from which size.
    fileprivate var keys: String {
        KeyType.allCases.compactMap { type in
            let sizes = [256, 384, 521] + Array(stride(from: 1024, through: 8192, by: 8))
            let least = sizes.first { bits in
                KeyOperation.allCases.contains { supports($0, type: type, bits: bits) }
            }
            guard let least else { return nil }
            return type == .rsa && least > 1024 ? "RSA from \(least) bits" : type.name
        }.joined(separator: ", ")
    }
}

extension KeyAlgorithm.Construction {
    fileprivate var meaning: String {
        switch self {
        case .signature(let signature, of: let input): signature.meaning + input.meaning
        case .encryption(let encryption): encryption.meaning
        case .keyExchange(let exchange):
            (exchange.cofactor ? "cofactor ECDH" : "ECDH")
                + (exchange.derivation.map { ", X9.63 derivation with \($0.rawValue)" } ?? ": the shared X coordinate")
        }
    }
}

extension KeyAlgorithm.Signature {
    fileprivate var meaning: String {
        switch self {
        case .rsaRaw: "no padding"
        case .rsaPKCS1: "PKCS #1 v1.5"
        case .rsaPSS: "PSS, MGF1 of the same hash, salt as long as the digest"
        case .ecdsaX962: "ECDSA, DER"
        case .ecdsaRFC4754: "ECDSA, r ‖ s"
        case .ed25519: "Ed25519 of a message"
        }
    }
}

extension KeyAlgorithm.SignedInput {
    fileprivate var meaning: String {
        switch self {
        case .bytes: ""
        case .digest(let hash): "; a \(hash.rawValue) digest of \(hash.size) bytes"
        case .message(let hash): "; a message, hashed with \(hash.rawValue)"
        }
    }
}

extension KeyAlgorithm.Encryption {
    fileprivate var meaning: String {
        switch self {
        case .rsaRaw: "no padding, a whole block"
        case .rsaPKCS1: "PKCS #1 v1.5"
        case .rsaOAEP(let hash): "OAEP with \(hash.rawValue), no label"
        case .rsaOAEPAESGCM(let hash):
            "AES-GCM, the key (256 bits from RSA-4096, else 128) in OAEP with \(hash.rawValue)"
        case .ecies(let scheme):
            (scheme.cofactor ? "cofactor ECDH" : "ECDH") + ", X9.63 with \(scheme.hash.rawValue), AES-GCM, "
                + (scheme.derivesIV ? "derived IV" : "IV of 16 zero bytes")
        }
    }
}
