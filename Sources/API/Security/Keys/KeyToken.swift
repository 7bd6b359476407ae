internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// Keys in a token instead of the program.
enum KeyToken {
    static let secureEnclave = "com.apple.setoken"

    /// Makes a private key in the token.
    ///
    /// - Throws: `Refusal` with −50 for a key that the Secure Enclave does not make (rule keys.enclave.size), −4 for
    ///   other tokens; the refusals of policy and enclave: a group that is not the program's, a locked class.
    static func make(_ generation: KeyGeneration) throws(Refusal) -> any KeyMaterial {
        try requireEnclave(generation.tokenID)
        guard generation.type == .ecSECPrimeRandom, generation.bits == 256 else {
            throw Refusal(
                .param, .keySize, "kSecAttrTokenID", "The Secure Enclave makes elliptic curve keys of 256 bits only.",
                do: "Ask for kSecAttrKeyTypeECSECPrimeRandom with 256 bits.")
        }
        let binding = try KeyBinding(generation.privateAttributes)
        let use = try AuthenticationUse(generation.privateAttributes)
        let reply = try KeychainSession.asking(use) { (session) throws(Refusal) in
            try session.key(.make(binding))
        }
        guard case .key(let key) = reply else { throw .malformed("the answer to a key request") }
        return try SealedKeyMaterial(key, use)
    }

    /// Makes a handle to a key of the token by the token's name for it. Only a use shows whether the token still knows
    /// the key.
    ///
    /// - Throws: `Refusal` with −50 for an invalid name; −4 for other tokens and for a key without a name.
    static func takeUp(_ description: KeyDescription, _ token: String) throws(Refusal) -> any KeyMaterial {
        try requireEnclave(token)
        guard let name = try description.tokenObjectID() else {
            throw Refusal(
                .unimplemented, .notImplemented, "kSecAttrTokenID", "No key can be put into the Secure Enclave.",
                do: "Make the key there with SecKeyCreateRandomKey, or leave the token out.")
        }
        return try SealedKeyMaterial(SealedKey(decoding: name), AuthenticationUse(description.entries))
    }

    private static func requireEnclave(_ token: String?) throws(Refusal) {
        guard token == secureEnclave else {
            throw Refusal(
                .unimplemented, .notImplemented, "kSecAttrTokenID", "There is no such token.",
                do: "Use kSecAttrTokenIDSecureEnclave, or leave the token out.")
        }
    }
}

extension AuthenticationUse {
    /// The settings for prompts, and the keychain, in a program's description of a key.
    ///
    /// - Throws: `Refusal` with −50 for an invalid context or text; `errSecInvalidKeychain` for another object than a
    ///   keychain.
    fileprivate init(_ attributes: [String: AnyObject]) throws(Refusal) {
        self = .unsaid
        if let given = attributes["u_Keychain"] { keychain = try SecKeychain.given(given, "kSecUseKeychain") }
        let said = attributes.filter { ["u_AuthCtx", "u_OpPrompt", "u_AuthUI", "u_NoAuthUI"].contains($0.key) }
        if said.isEmpty { return }
        _ = try ItemRequest(
            .copyMatching, dictionary: NSDictionary(dictionary: said), use: &self)
    }
}

extension KeyBinding {
    /// The conditions on the use of a new private key, from a program's attributes.
    ///
    /// Without an access control the key gets one that permits its use and requires no authentication.
    ///
    /// - Throws: `Refusal` with −50 for an invalid group, protection class or access control, or for two of the latter.
    fileprivate init(_ attributes: [String: AnyObject]) throws(Refusal) {
        var request = ItemRequestBuilder(.add)
        try request.set("class", .string(ItemClass.key.code))
        for key in ["agrp", "pdmn", "accc"] {
            if let value = attributes[key] { try request.set(key, RawValue(value)) }
        }
        let item = try request.build()
        try item.check()
        self.init(
            group: item.query[.accessGroup]?.string ?? "",
            accessibility: item.query.accessibility ?? ItemClass.key.defaultAccessibility,
            control: item.query.accessControl?.flags ?? AccessControl.privateKeyUsage)
    }
}
