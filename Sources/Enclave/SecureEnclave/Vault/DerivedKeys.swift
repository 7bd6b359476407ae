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
    /// Wraps the index key of a vault that was moved, whose store knows the key of the device it comes from.
    case indexWrapping = "keychain vault 2: index key"
    /// Opens the root's lock, where it has one.
    case lock = "keychain vault 2: passcode lock"
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
    /// - Throws: `CryptoError.libraryFailure`.
    func keybagKey(_ secret: SecretBytes?) throws(CryptoError) -> SecretBytes? {
        guard passcode != nil else { return try deriveKey(.openKeybag) }
        guard let secret else { return nil }
        return try deriveKey(.passcodeKeybag, with: secret)
    }

    /// The key of the digests in the store's columns. It is the same for the whole life of a store, on whatever it rests.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.authenticationFailed` when it does not open.
    func indexKey() throws(CryptoError) -> SecretBytes {
        if version == Self.firstVersion { return try deriveKey(.index) }
        let key = SecretBytes(count: AESGCM.keySize)
        let cipher = try deriveKey(.indexWrapping).makeCipher()
        try key.withMutableSpan { (span) throws(CryptoError) in
            try cipher.open(wrappedIndexKey.span, aad: WrappingBinding.indexKey(of: self).span, into: &span)
        }
        return key
    }

    /// The vault with this index key in it, which is not made from the device key.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func keeping(indexKey: SecretBytes) throws(CryptoError) -> Vault {
        var vault = self
        let cipher = try deriveKey(.indexWrapping).makeCipher()
        vault.wrappedIndexKey = try indexKey.withSpan { (key) throws(CryptoError) in
            try cipher.seal(key, aad: WrappingBinding.indexKey(of: self).span)
        }
        return vault
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
