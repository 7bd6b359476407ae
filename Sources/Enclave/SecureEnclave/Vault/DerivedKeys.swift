import KeychainCrypto
import LinuxSystem

/// The purpose of a key made from the device key. The text goes into the derivation, so that two purposes never share a
/// key.
enum KeyPurpose: String {
    /// Wraps the class keys that are always open.
    case deviceKeybag = "keychain vault 1: device keybag"
    /// Wraps the keybag key while no passcode is set; in versions 1 and 2 the other class keys.
    case openKeybag = "keychain vault 1: keybag without passcode"
    /// The same while a passcode is set.
    case passcodeKeybag = "keychain vault 1: keybag with passcode"
    /// Finds damage in the vault file.
    case vaultDigest = "keychain vault 1: digest"
    /// Makes the digests in the store's columns.
    case index = "keychain vault 1: index"
    /// Wraps the index key of a vault that was moved, whose store knows the key of the device it comes from.
    case indexWrapping = "keychain vault 2: index key"
    /// Finds changes in the vault file that were made without the device key.
    case vaultSeal = "keychain vault 3: seal"
    /// Wraps the keybag key in the slot that the TPM opens without anybody.
    case unattendedSlot = "keychain vault 3: unattended slot"
    /// The same in a slot with a PIN.
    case pinSlot = "keychain vault 3: slot with PIN"
    /// The same in a slot with a recovery code. It is derived from the code alone.
    case recoverySlot = "keychain vault 3: recovery slot"
    /// Reads and moves the root's count, where it has one.
    case counter = "keychain vault 4: counter"
    /// Opens the root's lock, where it has one.
    case lock = "keychain vault 2: passcode lock"
}

extension Vault {
    /// HKDF-SHA256 of the device key, and of the passcode's key behind it where there is one; the salt is the vault's
    /// identifier.
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

    /// The key of the digests in the store's columns. It is the same for the whole life of a store, on whatever it
    /// rests.
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

    /// The cipher under this key.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.invalidParameter` when this is not the size of a key.
    func makeCipher() throws(CryptoError) -> AESGCM {
        try withSpan { (key) throws(CryptoError) in try AESGCM(key: key) }
    }
}
