package import KeychainModel

/// A possible use of a key (rule keys.attributes.usage); the raw value is the attribute's key.
package enum KeyUsage: String, CaseIterable, Sendable {
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
    /// The uses of one half of a pair.
    package static func granted(_ type: KeyType, _ half: KeyClass) -> Set<KeyUsage> {
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
