package import KeychainCrypto
package import KeychainModel
import LinuxSystem

/// The algorithms of a team's keys.
package enum TeamKeyAlgorithm: UInt8, CaseIterable, Sendable {
    case ed25519 = 1
    case p256 = 2

    /// The name that people use.
    package var name: String {
        switch self {
        case .ed25519: "ed25519"
        case .p256: "p256"
        }
    }

    package var keyType: KeyType {
        switch self {
        case .ed25519: .ed25519
        case .p256: .ecSECPrimeRandom
        }
    }

    /// The size of a public key in bytes: 32, or that of 04 ‖ X ‖ Y.
    var publicSize: Int {
        switch self {
        case .ed25519: 32
        case .p256: 65
        }
    }

    /// Ed25519 (RFC 8032), or ECDSA over SHA-256 with the signature as r ‖ s.
    var signatures: KeyAlgorithm? {
        switch self {
        case .ed25519: KeyAlgorithm(.signature(.ed25519, of: .bytes))
        case .p256: KeyAlgorithm(.signature(.ecdsaRFC4754, of: .message(.sha256)))
        }
    }
}

/// The public half of a team's key. It verifies the team's signatures.
///
///     key = algorithm:u8 public:bytes
package struct TeamPublicKey: Hashable, Sendable {
    package let algorithm: TeamKeyAlgorithm
    /// 32 bytes, or 04 ‖ X ‖ Y.
    package let bytes: [UInt8]

    static let signatureSize = 64

    /// Takes a key of either algorithm.
    ///
    /// - Throws: `errSecParam` (`team.key`) for any other.
    package init(_ key: PublicKey) throws(Refusal) {
        guard let algorithm = TeamKeyAlgorithm.allCases.first(where: { $0.keyType == key.type }), key.bits == 256 else {
            throw .noTeamKey("It is not a key that a team can have.")
        }
        self.algorithm = algorithm
        bytes = key.external()
    }

    init(from reader: inout ByteReader) throws(Refusal) {
        guard let algorithm = TeamKeyAlgorithm(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformedCode("the key's algorithm is not known")
        }
        self.algorithm = algorithm
        bytes = try reader.run(atMost: algorithm.publicSize)
        guard bytes.count == algorithm.publicSize else { throw .malformedCode("the key has a wrong size") }
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(algorithm.rawValue)
        bytes.append(run: self.bytes)
    }

    /// Whether the private half has made this signature.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when the bytes are not a key; `errSecInternalComponent`.
    func verify(_ signature: [UInt8], of message: [UInt8]) throws(Refusal) -> Bool {
        guard let signatures = algorithm.signatures else { return false }
        let key: PublicKey
        do throws(CryptoError) { key = try PublicKey(external: bytes.span, type: algorithm.keyType) } catch {
            throw .malformedCode("the key cannot be read")
        }
        return try computing { () throws(CryptoError) in
            try key.verify(signature.span, of: message.span, signatures)
        }
    }
}

/// A signer for a team: a key in a file, or one in the enclave.
package protocol TeamSigner: Sendable {
    var publicKey: TeamPublicKey { get }

    /// Signs a message.
    ///
    /// - Returns: 64 bytes: Ed25519's, or r ‖ s of ECDSA over the message's SHA-256.
    /// - Throws: a refusal that says why the key does not sign.
    func sign(_ message: [UInt8]) throws(Refusal) -> [UInt8]
}

/// A team's key in this process's memory.
package struct TeamPrivateKey: TeamSigner {
    package let publicKey: TeamPublicKey
    /// The key itself, for writing it to a file.
    package let key: PrivateKey

    /// - Throws: `errSecParam` (`team.key`) for a key of another type or size.
    package init(_ key: PrivateKey) throws(Refusal) {
        publicKey = try TeamPublicKey(key.publicKey)
        self.key = key
    }

    /// Makes a new key.
    ///
    /// - Throws: `errSecInternalComponent`.
    package static func generate(_ algorithm: TeamKeyAlgorithm = .ed25519) throws(Refusal) -> TeamPrivateKey {
        try TeamPrivateKey(
            try computing { () throws(CryptoError) in try PrivateKey.generate(algorithm.keyType, bits: 256) })
    }

    package func sign(_ message: [UInt8]) throws(Refusal) -> [UInt8] {
        guard let signatures = publicKey.algorithm.signatures else { throw .noTeamKey("It cannot sign.") }
        return try computing { () throws(CryptoError) in try key.sign(message.span, signatures) }
    }
}
