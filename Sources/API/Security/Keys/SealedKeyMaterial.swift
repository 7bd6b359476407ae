internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A private key that only the enclave can use (rules keys.enclave.inside, keys.enclave.reference). Its public half is
/// in the program. Each operation of the private half is a request to the keychain. It prompts the user if the access
/// control requires it (rule keys.use.prompt), and may refuse.
struct SealedKeyMaterial: KeyMaterial, PrivateKeyOperations {
    let key: SealedKey
    let publicKey: PublicKey
    /// The settings for prompts, from the call that found or made the key (rule keys.use.context).
    private let authentication: AuthenticationUse

    /// - Throws: `Refusal` with −50 when the head of the sealed key contains no public key.
    init(_ key: SealedKey, _ use: AuthenticationUse) throws(Refusal) {
        guard let type = KeyType(number: key.keyType) else { throw .malformed("the type of a sealed key") }
        self.key = key
        authentication = use
        publicKey = try explained("SecKey") { () throws(CryptoError) in
            try PublicKey(external: key.publicKey.span, type: type)
        }
    }

    var privateOperations: (any PrivateKeyOperations)? { self }

    func externalRepresentation() throws(Refusal) -> SecretBytes {
        throw Refusal(
            .unimplemented, .keyNotExtractable, "SecKeyCopyExternalRepresentation",
            "The private key cannot leave the Secure Enclave.",
            do: "Use it through this handle; give away its public key (SecKeyCopyPublicKey).")
    }

    func supports(_ operation: KeyOperation, _ algorithm: KeyAlgorithm) -> Bool { true }

    /// The program hashes messages: only their digest is sent.
    func sign(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> [UInt8] {
        var bytes: [UInt8]
        if let hash = algorithm.messageHash {
            bytes = try explained(algorithm.name) { () throws(CryptoError) in try Digest.of(input, hash) }
        } else {
            bytes = input.array(0, input.count)
        }
        let signature = try use(KeyUse(algorithm.digestVariant.name, bytes))
        return signature.withSpan { $0.array(0, $0.count) }
    }

    func decrypt(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(Refusal) -> SecretBytes {
        try use(KeyUse(algorithm.name, input.array(0, input.count)))
    }

    func agree(
        with peer: PublicKey, _ algorithm: KeyAlgorithm, _ parameters: KeyParameters
    ) throws(Refusal) -> SecretBytes {
        // The enclave refuses a size that no derivation has.
        let size = UInt32(clamping: parameters.requestedSize ?? 0)
        return try use(
            KeyUse(algorithm.name, peer.external(), requestedSize: size, sharedInfo: parameters.sharedInfo))
    }

    private func use(_ use: KeyUse) throws(Refusal) -> SecretBytes {
        let reply = try KeychainSession.asking(authentication) { (session) throws(Refusal) in
            try session.key(.use(key, use))
        }
        guard case .output(let output) = reply else { throw .malformed("the answer to a key request") }
        return output
    }
}

// MARK: - Attributes

extension SealedKeyMaterial {
    /// As for keys of tokens (rule keys.attributes.token): the token, the access control, and that the key cannot be
    /// exported.
    var ownAttributes: [String: Any] {
        let isMadeInside = key.origin == .madeInside
        var attributes: [String: Any] = ["extr": false, "sens": true, "asen": isMadeInside, "next": isMadeInside]
        let control = key.binding.control
        attributes["accc"] = SecAccessControl(
            protection: key.binding.accessibility.code,
            flags: control == 0 && !isMadeInside ? nil : SecAccessControlCreateFlags(rawValue: CFOptionFlags(control)))
        guard isMadeInside else { return attributes }
        attributes["tkid"] = KeyToken.secureEnclave
        attributes["toid"] = Data(key.bytes)
        return attributes
    }
}
