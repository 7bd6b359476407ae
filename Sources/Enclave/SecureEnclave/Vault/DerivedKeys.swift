import KeychainCrypto
import LinuxSystem

/// What a key made from the device key is for. The text goes into the derivation, so that two purposes never share a key.
enum KeyPurpose: String {
    /// Wraps the class keys that are always open.
    case deviceKeybag = "keychain vault 1: device keybag"
    /// Wraps the other class keys while no passcode is set.
    case openKeybag = "keychain vault 1: keybag without passcode"
    /// Wraps the other class keys while a passcode is set.
    case passcodeKeybag = "keychain vault 1: keybag with passcode"
    /// Finds damage in the vault file.
    case vaultDigest = "keychain vault 1: digest"
    /// Makes the digests in the store's columns.
    case index = "keychain vault 1: index"
}

extension Vault {
    /// HKDF-SHA256 of the device key, and of the passcode's key behind it where there is one; the salt is the vault's identifier.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func deriveKey(_ purpose: KeyPurpose, with passcodeKey: SecretBytes? = nil) throws(CryptoError) -> SecretBytes {
        let material = SecretBuffer(capacity: 64)
        deviceKey.withSpan { material.append($0) }
        passcodeKey?.withSpan { material.append($0) }
        return try material.withSpan { (material) throws(CryptoError) in
            try HKDF.derive(
                from: material, salt: identifier.span, info: Array(purpose.rawValue.utf8).span, count: AESGCM.keySize)
        }
    }

    /// The key that wraps the class keys which are not always open: `nil` when it takes a passcode and none is given.
    ///
    /// Takes as long as a guess shall take.
    ///
    /// - Throws: `CryptoError.libraryFailure` when there is not enough memory.
    func keybagKey(passcode secret: SecretBytes?) throws(CryptoError) -> SecretBytes? {
        guard let passcode else { return try deriveKey(.openKeybag) }
        guard let secret else { return nil }
        let passcodeKey = try secret.withSpan { (secret) throws(CryptoError) in
            try passcode.cost.derive(from: secret, salt: passcode.salt.span, count: AESGCM.keySize)
        }
        return try deriveKey(.passcodeKeybag, with: passcodeKey)
    }
}

extension SecretBytes {
    /// A key nobody has had before.
    static func randomKey() -> SecretBytes {
        let key = SecretBytes(count: AESGCM.keySize)
        key.withMutableSpan { Randomness.fill(&$0) }
        return key
    }
}
