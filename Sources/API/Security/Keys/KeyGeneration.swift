internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A program's description of a new key (rule keys.create.random).
struct KeyGeneration {
    let type: KeyType
    let bits: Int
    /// The token for the private key; nil for the program.
    let tokenID: String?
    /// The attributes of the private key's item: those at the top, replaced by those under `kSecPrivateKeyAttrs`.
    let privateAttributes: [String: AnyObject]
    /// As ``privateAttributes``, with `kSecPublicKeyAttrs`.
    let publicAttributes: [String: AnyObject]
    private let keepsPrivateKey: Bool
    private let keepsPublicKey: Bool

    /// - Throws: `Refusal` with −50 for a description that fits no key.
    init(_ parameters: NSDictionary) throws(Refusal) {
        let description = try KeyDescription(parameters)
        type = try description.type()
        bits = try description.bits(type)
        tokenID = try description.tokenID()
        let privatePart = try Self.part(description, "private")
        let publicPart = try Self.part(description, "public")
        privateAttributes = Self.merged(description.entries, privatePart)
        publicAttributes = Self.merged(description.entries, publicPart)
        keepsPrivateKey = try Self.flag(privateAttributes["perm"]) ?? (tokenID != nil)
        keepsPublicKey = try Self.flag(publicAttributes["perm"]) ?? false
    }

    /// Makes the key and adds its permanent halves to the keychain, the public one first. It adds both or none.
    ///
    /// - Throws: `Refusal`: −4 for a token that makes no keys; the refusals of `SecItemAdd`; −26276 when OpenSSL fails.
    func make() throws(Refusal) -> SecKey {
        if let weakness = type.weakness(bits: bits) { SystemLog.warn(weakness) }
        let key = SecKey(try material())
        guard keepsPublicKey else { return keepsPrivateKey ? try add(key, privateAttributes) : key }
        let attributes = publicAttributes.filter { $0.key != "tkid" }
        let reference = try addPublic(SecKey(key.material.publicKey), attributes)
        guard keepsPrivateKey else { return key }
        do throws(Refusal) { return try add(key, privateAttributes) } catch {
            // Deletes by reference, so that no other item is deleted. If that fails too, the first refusal is reported.
            try? KeychainSession.delete(query(for: reference))
            throw error
        }
    }

    /// The new private key, in the program or in the token.
    private func material() throws(Refusal) -> any KeyMaterial {
        guard tokenID == nil else { return try KeyToken.make(self) }
        let key = try explained("SecKeyCreateRandomKey") { () throws(CryptoError) in
            try PrivateKey.generate(type, bits: bits)
        }
        return PrivateKeyMaterial(key: key)
    }

    /// Adds a half to the keychain.
    ///
    /// - Returns: the key as the keychain has it: a handle for a key that stays in the enclave.
    private func add(_ key: SecKey, _ attributes: [String: AnyObject]) throws(Refusal) -> SecKey {
        guard let added = try add(key, attributes, returning: "r_Ref") else { return key }
        return SecKey.object(for: added.item, added.use) as? SecKey ?? key
    }

    /// Adds the public half.
    ///
    /// - Returns: its persistent reference.
    private func addPublic(_ key: SecKey, _ attributes: [String: AnyObject]) throws(Refusal) -> NSData {
        let added = try add(key, attributes, returning: "r_PersistentRef")
        guard let reference = added?.item.attributes[.persistentReference]?.bytes else {
            throw Refusal(
                .internalError, .internalError, "SecItemAdd", "An added key has no persistent reference.",
                do: "Run security verify-keychain.")
        }
        return NSData(data: Data(reference))
    }

    /// The query for the public half, in the keychain that has it.
    private func query(for reference: NSData) -> NSDictionary {
        var query: [String: AnyObject] = ["v_PersistentRef": reference]
        query["m_SearchList"] = publicAttributes["u_Keychain"].map { NSArray(object: $0) }
        return NSDictionary(dictionary: query)
    }

    private func add(
        _ key: SecKey, _ attributes: [String: AnyObject], returning what: String
    ) throws(Refusal) -> SessionItem? {
        var entries = attributes
        entries["class"] = kSecClassKey
        entries["v_Ref"] = key
        entries["perm"] = kCFBooleanTrue
        entries[what] = kCFBooleanTrue
        return try KeychainSession.add(NSDictionary(dictionary: entries))
    }

    private static func part(_ description: KeyDescription, _ name: String) throws(Refusal) -> [String: AnyObject] {
        guard let value = description.entries[name] else { return [:] }
        guard let dictionary = value as? NSDictionary else {
            throw Refusal(
                .param, .wrongType, name, "The attributes of the \(name) key are no dictionary.",
                do: "Give kSecPrivateKeyAttrs and kSecPublicKeyAttrs dictionaries.")
        }
        return try KeyDescription(dictionary).entries
    }

    // Type and size belong to the pair. They follow from the key when it is added.
    private static func merged(
        _ common: [String: AnyObject], _ own: [String: AnyObject]
    ) -> [String: AnyObject] {
        common.merging(own) { _, own in own }.filter { !["type", "bsiz", "private", "public"].contains($0.key) }
    }

    private static func flag(_ value: AnyObject?) throws(Refusal) -> Bool? {
        guard let value else { return nil }
        if let number = value as? NSNumber { return number.boolValue }
        throw Refusal(
            .param, .wrongType, "kSecAttrIsPermanent", "kSecAttrIsPermanent is no boolean.",
            do: "Give it true or false.")
    }
}
