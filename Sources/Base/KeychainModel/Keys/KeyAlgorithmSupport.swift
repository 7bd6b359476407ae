/// The keys that an algorithm works with.
extension KeyAlgorithm {
    /// Whether a key of this type and size supports the operation with this algorithm. Signing, decrypting and
    /// exchanging need the private key, verifying and encrypting the public one; this is not checked here.
    package func supports(_ operation: KeyOperation, type: KeyType, bits: Int) -> Bool {
        type.allows(bits: bits) && serves(operation) && fits(type, bits: bits)
    }

    /// Whether the algorithm is one for this operation.
    package func serves(_ operation: KeyOperation) -> Bool {
        switch (construction, operation) {
        case (.signature, .sign), (.signature, .verify): true
        case (.encryption, .encrypt), (.encryption, .decrypt): true
        case (.keyExchange, .keyExchange): true
        default: false
        }
    }

    private func fits(_ type: KeyType, bits: Int) -> Bool {
        switch construction {
        case .signature(let signature, of: let input): signature.fits(type, bits: bits, input: input)
        case .encryption(let encryption): encryption.fits(type, bits: bits)
        // X25519 clears its cofactor itself and has no second form of exchange.
        case .keyExchange(let exchange):
            type == .ecSECPrimeRandom || type == .x25519 && !exchange.cofactor
        }
    }
}

extension KeyAlgorithm.Signature {
    fileprivate func fits(_ type: KeyType, bits: Int, input: KeyAlgorithm.SignedInput) -> Bool {
        switch self {
        case .rsaRaw, .rsaPKCS1: type == .rsa
        // EMSA-PSS needs room for digest and salt (RFC 8017, 9.1.1).
        case .rsaPSS: type == .rsa && bits >= 16 * (input.hash?.size ?? 0) + 9
        case .ecdsaX962, .ecdsaRFC4754: type == .ecSECPrimeRandom
        case .ed25519: type == .ed25519
        }
    }
}

extension KeyAlgorithm.SignedInput {
    /// The hash that the signature names; nil when the input is not hashed.
    package var hash: HashFunction? {
        switch self {
        case .bytes: nil
        case .digest(let hash), .message(let hash): hash
        }
    }
}

extension KeyAlgorithm.Encryption {
    fileprivate func fits(_ type: KeyType, bits: Int) -> Bool {
        switch self {
        case .rsaRaw, .rsaPKCS1: type == .rsa
        case .rsaOAEP(let hash): type == .rsa && Self.oaepRoom(hash, bits: bits) >= 0
        case .rsaOAEPAESGCM(let hash):
            type == .rsa && Self.oaepRoom(hash, bits: bits) >= Self.contentKeySize(rsaBits: bits)
        case .ecies: type == .ecSECPrimeRandom
        }
    }

    /// The maximum number of bytes that OAEP encrypts with a modulus of `bits` bits; negative when it cannot encrypt at
    /// all (RFC 8017, 7.1.1).
    package static func oaepRoom(_ hash: HashFunction, bits: Int) -> Int {
        KeyType.blockSize(bits: bits) - 2 * hash.size - 2
    }

    /// The size in bytes of the AES key that OAEP wraps (rules keys.algorithm.oaep-aes, keys.algorithm.ecies).
    package static func contentKeySize(rsaBits bits: Int) -> Int { bits >= 4096 ? 32 : 16 }

    /// The size in bytes of the AES key that ECIES derives (rules keys.algorithm.oaep-aes, keys.algorithm.ecies).
    package static func contentKeySize(curveBits bits: Int) -> Int { bits <= 256 ? 16 : 32 }
}
