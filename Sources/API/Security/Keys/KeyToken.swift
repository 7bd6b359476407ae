internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// Keys held by a token rather than by the program.
enum KeyToken {
    static let secureEnclave = "com.apple.setoken"

    /// Makes a private key in the token.
    ///
    /// - Throws: `Refusal` with −50 for a key that the Secure Enclave does not make (S-55), −4 for other tokens; what
    ///   policy and enclave refuse: a group that is not the program's, a class that is closed.
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

    /// Takes up a key that the token has made, by the name the token gave it. Whether the token still knows it shows
    /// when it is used.
    ///
    /// - Throws: `Refusal` with −50 for a name that is none, −4 for other tokens and for a key without one.
    static func takeUp(_ description: KeyDescription, _ token: String) throws(Refusal) -> any KeyMaterial {
        try requireEnclave(token)
        guard let name = try description.tokenObjectID() else {
            throw Refusal(
                .unimplemented, .notImplemented, "kSecAttrTokenID", "No key can be put into the Secure Enclave.",
                do: "Have it made there, with SecKeyCreateRandomKey; or leave the token out.")
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
    /// What a program's description of a key says about asking the user for it.
    ///
    /// - Throws: `Refusal` with −50 for a context or a text that is none.
    fileprivate init(_ attributes: [String: AnyObject]) throws(Refusal) {
        self = .unsaid
        let said = attributes.filter { ["u_AuthCtx", "u_OpPrompt", "u_AuthUI", "u_NoAuthUI"].contains($0.key) }
        if said.isEmpty { return }
        _ = try ItemRequest(
            .copyMatching, dictionary: NSDictionary(dictionary: said), use: &self)
    }
}

extension KeyBinding {
    /// What a program's attributes of a new private key say about who may use it, and when.
    ///
    /// Without an access control it is the one that lets the key be used, and asks for nothing.
    ///
    /// - Throws: `Refusal` with −50 for what is no group, no protection class, no access control, or two of the latter.
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
