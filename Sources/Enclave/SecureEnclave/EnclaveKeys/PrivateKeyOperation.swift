import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A use of a private key, parsed and checked against the key.
struct PrivateKeyOperation {
    private let algorithm: KeyAlgorithm
    private let type: KeyType
    private let parameters: KeyParameters
    private let input: [UInt8]

    /// The size of the keys that the enclave makes.
    private static let madeBits = 256

    /// - Throws: `errSecParam` for an algorithm that is unknown or not one of the key's.
    init(_ key: SealedKey, _ use: KeyUse) throws(Refusal) {
        guard let type = KeyType(number: key.keyType) else { throw .unknownKeyType(key.keyType) }
        guard let algorithm = KeyAlgorithm(name: use.algorithm), let operation = algorithm.privateOperation,
            algorithm.supports(operation, type: type, bits: Int(key.bits))
        else { throw .algorithmNotSupported(use.algorithm) }
        self.algorithm = algorithm
        self.type = type
        parameters = KeyParameters(
            requestedSize: use.requestedSize == 0 ? nil : Int(use.requestedSize), sharedInfo: use.sharedInfo)
        input = use.input
    }

    /// The operation that the user is asked to allow.
    var guarded: GuardedOperation {
        switch algorithm.construction {
        case .signature: .useKeySign
        case .encryption: .useKeyDecrypt
        case .keyExchange: .useKeyKeyExchange
        }
    }

    /// Performs it with a key that was handed in.
    func perform(with key: (KeyType) throws(CryptoError) -> PrivateKey) throws(Refusal) -> SecretBytes {
        do throws(CryptoError) { return try result(of: try key(type)) } catch { throw error.refusal(algorithm.name) }
    }

    private func result(of key: PrivateKey) throws(CryptoError) -> SecretBytes {
        switch algorithm.construction {
        case .signature:
            let signature = try key.sign(input.span, algorithm)
            return SecretBytes(copying: signature.span)
        case .encryption: return try key.decrypt(input.span, algorithm, parameters: parameters)
        case .keyExchange: return try key.agree(with: input.span, algorithm, parameters: parameters)
        }
    }
}

// MARK: - Keys made inside

extension PrivateKeyOperation {
    /// Performs it with a key that the enclave made. The store does what needs the private half; the rest is done here,
    /// so that it is the same whichever store it is.
    func perform(with privatePart: Span<UInt8>, in store: any EnclaveKeyStore) throws(Refusal) -> SecretBytes {
        switch algorithm.construction {
        case .signature(let signature, of: let signed):
            let digest = try digest(signed)
            let plain = try store.sign(digest: digest.span, with: privatePart)
            do throws(CryptoError) { return try encode(plain, as: signature) } catch {
                throw error.refusal(algorithm.name)
            }
        case .encryption:
            let point = try ephemeralPoint()
            let shared = try store.agree(with: point.span, using: privatePart)
            do throws(CryptoError) { return try open(shared) } catch { throw error.refusal(algorithm.name) }
        case .keyExchange:
            let shared = try store.agree(with: input.span, using: privatePart)
            do throws(CryptoError) { return try derive(shared) } catch { throw error.refusal(algorithm.name) }
        }
    }

    private func digest(_ signed: KeyAlgorithm.SignedInput) throws(Refusal) -> [UInt8] {
        if case .message(let hash) = signed {
            do throws(CryptoError) { return try Digest.of(input.span, hash) } catch {
                throw error.refusal(algorithm.name)
            }
        }
        // Without a named hash, any digest that there is: a longer input would be cut off without a word.
        let sizes = signed.hash.map { $0.size...$0.size } ?? 1...HashFunction.sha512.size
        guard sizes.contains(input.count) else { throw CryptoError.wrongInputSize.refusal(algorithm.name) }
        return input
    }

    private func encode(_ plain: [UInt8], as signature: KeyAlgorithm.Signature) throws(CryptoError) -> SecretBytes {
        guard signature == .ecdsaX962 else { return SecretBytes(copying: plain.span) }
        let signature = try ECDSASignature(plain: plain.span, bits: Self.madeBits).x962()
        return SecretBytes(copying: signature.span)
    }

    private func ephemeralPoint() throws(Refusal) -> [UInt8] {
        do throws(CryptoError) { return try ECIES.ephemeralPoint(of: input.span, curveBits: Self.madeBits) } catch {
            throw error.refusal(algorithm.name)
        }
    }

    private func open(_ shared: SecretBytes) throws(CryptoError) -> SecretBytes {
        try ECIES.open(
            message: input.span, sharedX: shared, curveBits: Self.madeBits, algorithm, parameters: parameters)
    }

    private func derive(_ shared: SecretBytes) throws(CryptoError) -> SecretBytes {
        try KeyAgreement.finish(sharedX: shared, algorithm, parameters: parameters)
    }
}

extension KeyAlgorithm {
    /// The operation of the private key.
    fileprivate var privateOperation: KeyOperation? {
        KeyOperation.allCases.first { $0.needsPrivateKey && serves($0) }
    }
}
