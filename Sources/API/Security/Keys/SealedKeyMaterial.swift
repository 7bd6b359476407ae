internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A private key that only the enclave sees (S-37, S-46). Its public half is here; what needs the private one is asked
/// of the keychain each time, which has the user asked where the key's access control wants him (S-45), and may refuse
/// it.
struct SealedKeyMaterial: KeyMaterial, PrivateKeyOperations {
    let key: SealedKey
    let publicKey: PublicKey
    /// How the user is asked for it: what was said where the key was found or made (S-42).
    private let authentication: AuthenticationUse

    /// - Throws: `Refusal` with −50 when what the head says is no public key.
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

    /// Messages are hashed here: only their digest travels.
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
        // A size that no derivation can give is refused by the enclave as such.
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

// MARK: - What the key says of itself

extension SealedKeyMaterial {
    /// As for keys of tokens (semantics F.2): where it is and who may use it, and that it cannot be had.
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
