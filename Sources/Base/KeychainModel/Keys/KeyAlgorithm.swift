/// A key algorithm: one of the constants `kSecKeyAlgorithm…` (rule keys.algorithm.table).
///
/// The value only describes an algorithm by its ``construction``. Only values of ``all`` exist, so every value works
/// for the keys that ``supports(_:type:bits:)``.
package struct KeyAlgorithm: Hashable, Sendable {
    /// Apple's identifier, such as `algid:sign:ECDSA:message-X962:SHA256`.
    package let name: String
    /// The name of the constant, without `kSecKeyAlgorithm`.
    package let constant: String
    /// The computation.
    package let construction: Construction

    /// Whether an RSA key seals the key of a cipher, which encrypts the message.
    package var isHybrid: Bool { if case .encryption(.rsaOAEPAESGCM) = construction { true } else { false } }

    package enum Construction: Hashable, Sendable {
        case signature(Signature, of: SignedInput)
        case encryption(Encryption)
        case keyExchange(KeyExchange)
    }

    package enum Signature: Hashable, Sendable {
        /// The private operation on a whole block, without padding.
        case rsaRaw
        /// RSASSA-PKCS1-v1_5 (RFC 8017); for ``SignedInput/bytes`` without a DigestInfo.
        case rsaPKCS1
        /// RSASSA-PSS with MGF1 of the same hash and a salt as long as the digest.
        case rsaPSS
        /// ECDSA with the signature as DER `SEQUENCE { r, s }`.
        case ecdsaX962
        /// ECDSA with the signature as r ‖ s, each as long as the field.
        case ecdsaRFC4754
        /// Ed25519 (RFC 8032), which hashes the message itself.
        case ed25519
    }

    package enum SignedInput: Hashable, Sendable {
        /// The input is signed as it is.
        case bytes
        /// The input is a digest and has its length.
        case digest(HashFunction)
        /// The input is hashed first.
        case message(HashFunction)
    }

    package enum Encryption: Hashable, Sendable {
        /// The public operation on a whole block, without padding.
        case rsaRaw
        /// RSAES-PKCS1-v1_5 (RFC 8017).
        case rsaPKCS1
        /// RSAES-OAEP with MGF1 of the same hash and no label.
        case rsaOAEP(HashFunction)
        /// OAEP of a fresh AES key ‖ AES-GCM of the content ‖ tag; the IV is 16 zero bytes, the AAD the public key.
        case rsaOAEPAESGCM(HashFunction)
        /// Ephemeral point ‖ AES-GCM of the content ‖ tag.
        case ecies(ECIES)
    }

    package struct ECIES: Hashable, Sendable {
        /// The same as without, because all curves here have the cofactor 1.
        package let cofactor: Bool
        /// The hash of the X9.63 key derivation.
        package let hash: HashFunction
        /// Whether the derivation makes the IV too. Otherwise the IV is 16 zero bytes.
        package let derivesIV: Bool
    }

    package struct KeyExchange: Hashable, Sendable {
        /// As ``ECIES/cofactor``.
        package let cofactor: Bool
        /// The hash of the X9.63 key derivation; without one the result is the shared X coordinate.
        package let derivation: HashFunction?
    }

    /// The algorithm of this identifier; nil when there is none.
    package init?(name: String) {
        guard let found = Self.byName[name] else { return nil }
        self = found
    }

    /// The algorithm of this constant, without `kSecKeyAlgorithm`; nil when there is none.
    package init?(constant: String) {
        guard let found = Self.byConstant[constant] else { return nil }
        self = found
    }

    /// The algorithm that computes this; nil when there is none.
    package init?(_ construction: Construction) {
        guard let found = Self.byConstruction[construction] else { return nil }
        self = found
    }

    init(name: String, constant: String, construction: Construction) {
        self.name = name
        self.constant = constant
        self.construction = construction
    }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    private static let byConstant = Dictionary(uniqueKeysWithValues: all.map { ($0.constant, $0) })
    private static let byConstruction = Dictionary(
        all.map { ($0.construction, $0) }, uniquingKeysWith: { first, _ in first })

    /// The algorithm that takes the digest of the message instead of the message. The component that holds the private
    /// key gets this one when hashing is done elsewhere. It is the algorithm itself if that does not hash.
    package var digestVariant: KeyAlgorithm {
        guard case .signature(let signature, of: .message(let hash)) = construction else { return self }
        return KeyAlgorithm(.signature(signature, of: .digest(hash))) ?? self
    }

    /// Whether a key exchange derives a key from what both parties share.
    package var derivesKeys: Bool {
        if case .keyExchange(let exchange) = construction { exchange.derivation != nil } else { false }
    }

    /// The hash for a message to be signed; nil for algorithms that take a digest or do not hash.
    package var messageHash: HashFunction? {
        guard case .signature(_, of: .message(let hash)) = construction else { return nil }
        return hash
    }
}
