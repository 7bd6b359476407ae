/// The private key that a right guards: a P-256 key in the enclave, which never leaves it.
///
/// Every use needs the authorized right; without it the call fails with `LAError` and `notInteractive`. A call that
/// does not fit the algorithm or the data fails with `errSecParam` of `NSOSStatusErrorDomain`. Completion handlers are
/// called once, on a queue of the module.
///
/// Source: Apple, `LAPrivateKey`.
public final class LAPrivateKey: NSObject, Sendable {
    /// The public half.
    public let publicKey: LAPublicKey
    private let right: LAPersistedRight

    init(_ right: LAPersistedRight, _ publicKey: SecKey) {
        self.right = right
        self.publicKey = LAPublicKey(publicKey)
    }

    // MARK: - Signing

    /// Signs data.
    ///
    /// - Parameters:
    ///   - data: the message, or its digest, as the algorithm's name says.
    ///   - completion: gets the signature or an error.
    public func sign(
        _ data: Data, algorithm: SecKeyAlgorithm, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { use(signing(data, algorithm), completion) }

    /// Signs, as the function with a completion handler does.
    public func sign(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try await use(signing(data, algorithm))
    }

    /// Whether the key signs with an algorithm.
    public func canSign(using algorithm: SecKeyAlgorithm) -> Bool { can(.sign, algorithm) }

    private func signing(_ data: Data, _ algorithm: SecKeyAlgorithm) -> @Sendable (SecKey) throws -> Data {
        { key in try unsafe calling { unsafe SecKeyCreateSignature(key, algorithm, data as CFData, $0) } as Data }
    }

    // MARK: - Decrypting

    /// Decrypts what was encrypted with the public half.
    ///
    /// - Parameters:
    ///   - data: the ciphertext; at most 16 KiB.
    ///   - completion: gets the plaintext or an error.
    public func decrypt(
        _ data: Data, algorithm: SecKeyAlgorithm, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { use(decrypting(data, algorithm), completion) }

    /// Decrypts, as the function with a completion handler does.
    public func decrypt(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try await use(decrypting(data, algorithm))
    }

    /// Whether the key decrypts with an algorithm.
    public func canDecrypt(using algorithm: SecKeyAlgorithm) -> Bool { can(.decrypt, algorithm) }

    private func decrypting(_ data: Data, _ algorithm: SecKeyAlgorithm) -> @Sendable (SecKey) throws -> Data {
        { key in try unsafe calling { unsafe SecKeyCreateDecryptedData(key, algorithm, data as CFData, $0) } as Data }
    }

    // MARK: - Agreeing on a secret

    /// Agrees on a secret with the owner of another key.
    ///
    /// - Parameters:
    ///   - publicKey: the other's public key: 04 ‖ X ‖ Y.
    ///   - parameters: values of `SecKeyKeyExchangeParameter`, as the algorithm needs them.
    ///   - completion: gets the secret or an error.
    public func exchangeKeys(
        publicKey: Data, algorithm: SecKeyAlgorithm, parameters: [AnyHashable: Any],
        completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { use(exchanging(publicKey, algorithm, parameters), completion) }

    /// Agrees on a secret, as the function with a completion handler does.
    public func exchangeKeys(
        publicKey: Data, algorithm: SecKeyAlgorithm, parameters: [AnyHashable: Any]
    ) async throws -> Data { try await use(exchanging(publicKey, algorithm, parameters)) }

    /// Whether the key agrees on secrets with an algorithm.
    public func canExchangeKeys(using algorithm: SecKeyAlgorithm) -> Bool { can(.keyExchange, algorithm) }

    private func exchanging(
        _ publicKey: Data, _ algorithm: SecKeyAlgorithm, _ parameters: [AnyHashable: Any]
    ) -> @Sendable (SecKey) throws -> Data {
        let parameters = ExchangeParameters(parameters)
        return { key in
            let peer = try P256Point.key(publicKey)
            return try unsafe calling {
                unsafe SecKeyCopyKeyExchangeResult(key, algorithm, peer, parameters.dictionary, $0)
            } as Data
        }
    }

    // MARK: - Use

    private func use(
        _ body: @escaping @Sendable (SecKey) throws -> Data,
        _ completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        inBackground({ [right] in try right.use(body) }) {
            let (data, error) = $0.halves
            completion(data, error)
        }
    }

    private func use(_ body: @escaping @Sendable (SecKey) throws -> Data) async throws -> Data {
        try await awaiting { inBackground({ [right] in try right.use(body) }, $0) }
    }

    private func can(_ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm) -> Bool {
        guard let key = try? right.items.privateKey(in: nil) else { return false }
        return SecKeyIsAlgorithmSupported(key, operation, algorithm)
    }
}

extension LAPersistedRight {
    fileprivate func use(_ body: (SecKey) throws -> Data) throws -> Data {
        try whileAuthorized { try body(items.privateKey(in: $0)) }
    }
}

/// Parameters of a key exchange for another thread: a copy that nobody changes, which makes it safe.
private struct ExchangeParameters: @unchecked Sendable {
    let dictionary: NSDictionary

    init(_ parameters: [AnyHashable: Any]) { dictionary = NSDictionary(dictionary: parameters) }
}

private enum P256Point {
    static func key(_ point: Data) throws -> SecKey {
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        return try unsafe calling { unsafe SecKeyCreateWithData(point as CFData, attributes, $0) }
    }
}
