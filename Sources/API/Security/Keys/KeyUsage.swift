internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// A possible use of a key (rule keys.attributes.usage); the raw value is the attribute's key.
enum KeyUsage: String, CaseIterable {
    case encrypt = "encr"
    case decrypt = "decr"
    case derive = "drve"
    case sign = "sign"
    case verify = "vrfy"
    case signRecover = "snrc"
    case verifyRecover = "vyrc"
    case wrap = "wrap"
    case unwrap = "unwp"

    // RSA public keys report that they decrypt, as on Apple systems.
    static func granted(_ type: KeyType, _ half: KeyClass) -> Set<KeyUsage> {
        switch (type, half) {
        case (.rsa, .private): [.decrypt, .sign, .unwrap]
        case (.rsa, _): [.encrypt, .decrypt, .verify, .wrap]
        case (.ecSECPrimeRandom, .private): [.decrypt, .derive, .sign, .unwrap]
        case (.ecSECPrimeRandom, _): [.encrypt, .verify, .wrap]
        case (.ed25519, .private): [.sign]
        case (.ed25519, _): [.verify]
        case (.x25519, .private): [.derive]
        case (.x25519, _): []
        }
    }
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
