internal import KeychainModel
internal import LinuxSystem

/// A program's description of a key.
struct KeyDescription {
    let entries: [String: AnyObject]

    /// - Throws: `Refusal` with −50 for a key that is not a string.
    init(_ dictionary: NSDictionary) throws(Refusal) {
        var entries: [String: AnyObject] = [:]
        try dictionary.forEachEntry { (key, value) throws(Refusal) in entries[key.code] = value }
        self.entries = entries
    }

    /// - Throws: `Refusal` with −50 when the type is missing or unsupported.
    func type() throws(Refusal) -> KeyType {
        let given = try decimal("type", "kSecAttrKeyType", or: "a kSecAttrKeyType… constant")
        if let type = KeyType(rawValue: given) { return type }
        throw Refusal(
            .param, .keyType, "kSecAttrKeyType", "There are no keys of type \(given) here.",
            do: "Use kSecAttrKeyTypeRSA, …ECSECPrimeRandom, …Ed25519 or …X25519.")
    }

    /// - Throws: `Refusal` with −50 when the size is missing or does not fit the type.
    func bits(_ type: KeyType) throws(Refusal) -> Int {
        let text = try decimal("bsiz", "kSecAttrKeySizeInBits", or: "a number")
        guard let bits = Int(text) else { throw wrongType("kSecAttrKeySizeInBits", or: "a number") }
        try type.check(bits: bits)
        return bits
    }

    /// - Throws: `Refusal` with −50 when the class is missing; −4 for symmetric keys.
    func keyClass() throws(Refusal) -> KeyClass {
        let text = try decimal("kcls", "kSecAttrKeyClass", or: "a kSecAttrKeyClass… constant")
        switch KeyClass(rawValue: text) {
        case .symmetric?:
            throw Refusal(
                .unimplemented, .keyType, "kSecAttrKeyClass",
                "A SecKey is half of a pair; symmetric keys are not made.",
                do: "Keep a symmetric key as a generic password, or as kSecValueData of an item of class key.")
        case let known?: return known
        case nil: throw wrongType("kSecAttrKeyClass", or: "a kSecAttrKeyClass… constant")
        }
    }

    /// The token that holds the key; nil for a key in the program.
    func tokenID() throws(Refusal) -> String? {
        guard let value = entries["tkid"] else { return nil }
        guard case .string(let token) = RawValue(value) else { throw wrongType("kSecAttrTokenID", or: "a string") }
        return token.isEmpty ? nil : token
    }

    /// The token's own name for the key; nil when there is none.
    func tokenObjectID() throws(Refusal) -> SecretBytes? {
        guard let value = entries["toid"] else { return nil }
        guard let data = value as? NSData else { throw wrongType("kSecAttrTokenOID", or: "data") }
        return data.withSpan { SecretBytes(copying: $0) }
    }

    /// The value of a key in decimal. The program may give a number or text.
    private func decimal(_ key: String, _ constant: String, or kinds: String) throws(Refusal) -> String {
        guard let value = entries[key] else {
            throw Refusal(.param, .keyParameter, constant, "\(constant) is missing.", do: "Give it \(kinds).")
        }
        switch RawValue(value) {
        case .string(let text): return text
        case .number(let number): return String(number)
        default: throw wrongType(constant, or: kinds)
        }
    }

    private func wrongType(_ constant: String, or kinds: String) -> Refusal {
        Refusal(.param, .wrongType, constant, "\(constant) has a value it cannot have.", do: "Give it \(kinds).")
    }
}
