internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The implementation of a `SecKey`: the place of the key, and its operations there.
protocol KeyMaterial: Sendable {
    /// The public key of the pair. It is always in the program, which verifies and encrypts with it.
    var publicKey: PublicKey { get }
    /// The operations of the private key; nil for a public key.
    var privateOperations: (any PrivateKeyOperations)? { get }
    /// Attributes beyond those that follow from type, size and class, or other values for them, by key.
    var ownAttributes: [String: Any] { get }

    /// The key in Apple's external representation.
    ///
    /// - Throws: `Refusal` with −4 when the key cannot leave its place.
    func externalRepresentation() throws(Refusal) -> SecretBytes
}

/// The operations that the place of the private key carries out.
protocol PrivateKeyOperations: Sendable {
    /// Whether the place supports the operation. The caller has checked the key itself.
    func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool
    func sign(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> [UInt8]
    func decrypt(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> SecretBytes
    func agree(
        with peer: PublicKey, _ algorithm: KeyAlgorithm, _ parameters: KeyParameters
    ) throws(Refusal) -> SecretBytes
}

extension KeyMaterial {
    var type: KeyType { publicKey.type }
    var bits: Int { publicKey.bits }
    var keyClass: KeyClass { privateOperations == nil ? .public : .private }
    var ownAttributes: [String: Any] { [:] }

    func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool {
        guard algorithm.supports(operation, type: type, bits: bits) else { return false }
        // As on Apple systems, an RSA key reports in either half that it decrypts, but for the hybrid forms.
        guard let privateOperations else {
            return !operation.needsPrivateKey || type == .rsa && operation == .decrypt && !algorithm.isHybrid
        }
        guard operation.needsPrivateKey else { return type == .rsa && operation == .verify }
        return privateOperations.supports(operation, algorithm)
    }
}

/// A public key.
struct PublicKeyMaterial: KeyMaterial {
    let publicKey: PublicKey
    var privateOperations: (any PrivateKeyOperations)? { nil }

    func externalRepresentation() -> SecretBytes {
        let external = publicKey.external()
        return SecretBytes(copying: external.span)
    }
}

/// A private key that this program holds.
struct PrivateKeyMaterial: KeyMaterial, PrivateKeyOperations {
    let key: PrivateKey

    var publicKey: PublicKey { key.publicKey }
    var privateOperations: (any PrivateKeyOperations)? { self }

    func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool { true }

    func externalRepresentation() throws(Refusal) -> SecretBytes {
        try explained("SecKeyCopyExternalRepresentation") { () throws(CryptoError) in try key.external() }
    }

    func sign(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> [UInt8] {
        try explained(algorithm.name) { () throws(CryptoError) in try key.sign(input, algorithm) }
    }

    func decrypt(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> SecretBytes {
        try explained(algorithm.name) { () throws(CryptoError) in try key.decrypt(input, algorithm) }
    }

    func agree(
        with peer: PublicKey, _ algorithm: KeyAlgorithm, _ parameters: KeyParameters
    ) throws(Refusal) -> SecretBytes {
        try explained(algorithm.name) { () throws(CryptoError) in
            try key.agree(with: peer, algorithm, parameters: parameters)
        }
    }
}

/// Runs an operation of a key and explains a failure in the caller's words.
func explained<Result>(
    _ subject: String, _ body: () throws(CryptoError) -> Result
) throws(Refusal) -> Result {
    do throws(CryptoError) { return try body() } catch { throw error.refusal(subject) }
}

extension KeyMaterial {
    /// The attributes of the key, by key (rule keys.attributes.usage).
    ///
    /// - Throws: `Refusal` when OpenSSL fails.
    func attributes() throws(Refusal) -> [String: Any] {
        let label = try explained("SecKeyCopyAttributes") { () throws(CryptoError) in try publicKey.applicationLabel() }
        var attributes: [String: Any] = [
            "class": ItemClass.key.code, "kcls": keyClass.rawValue, "klbl": Data(label), "type": type.rawValue,
            "bsiz": bits, "esiz": bits,
            // On Apple systems both halves call themselves private.
            "perm": true, "priv": true, "modi": true, "sens": false, "asen": false, "extr": true, "next": false,
        ]
        let granted = KeyUsage.granted(type, keyClass)
        for usage in KeyUsage.allCases { attributes[usage.rawValue] = granted.contains(usage) }
        if let value = try? externalRepresentation() {
            attributes["v_Data"] = value.withSpan { ReturnedData(copying: $0) }
        }
        return attributes.merging(ownAttributes) { _, own in own }
    }
}
