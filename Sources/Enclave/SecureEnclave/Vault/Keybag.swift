import KeychainCrypto
import KeychainModel
import LinuxSystem

/// Class keys in the clear, only while they are used or wrapped again.
struct Keybag: Sendable {
    private(set) var keys: [Accessibility: SecretBytes]
    /// Wraps the keys of the classes that are not always open; nil when those are not here.
    private(set) var key: SecretBytes?
    /// The key of the slot that gave the keybag key.
    private(set) var openedBy: SecretBytes?

    /// Makes the keys of a new vault: of every class but the one that needs a passcode.
    init() {
        keys = [:]
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            keys[accessibility] = .randomKey()
        }
        key = .randomKey()
    }

    /// Opens what can be opened: everything with the right key of a slot, otherwise the keys of the classes that are
    /// always open.
    ///
    /// - Throws: `CryptoError.authenticationFailed` when the key is wrong; `.libraryFailure`.
    init(opening vault: Vault, _ slot: VaultSlot? = nil, _ slotKey: SecretBytes? = nil) throws(CryptoError) {
        keys = [:]
        if let slot, let slotKey { (key, openedBy) = (try vault.keybagKey(in: slot, slotKey), slotKey) }
        let ciphers = try KeybagCiphers(vault, key)
        for (accessibility, wrapped) in zip(Accessibility.allCases, vault.wrappedKeys) where !wrapped.isEmpty {
            guard let cipher = ciphers.cipher(for: accessibility) else { continue }
            let key = SecretBytes(count: AESGCM.keySize)
            let binding = WrappingBinding.classKey(accessibility, of: vault)
            try key.withMutableSpan { (span) throws(CryptoError) in
                try cipher.open(wrapped.span, aad: binding.span, into: &span)
            }
            keys[accessibility] = key
        }
    }

    /// Opens what opens without anybody: everything while no passcode is set, or with a slot that the TPM opens.
    ///
    /// - Throws: as ``init(opening:_:_:)``.
    init(openingUnattended vault: Vault) throws(CryptoError) {
        guard let slot = vault.unattendedSlot else {
            try self.init(opening: vault)
            return
        }
        try self.init(opening: vault, slot, try vault.key(ofUnattended: slot))
    }

    /// The keybag key.
    ///
    /// - Throws: `CryptoError.invalidParameter` when it is not here.
    func requireKey() throws(CryptoError) -> SecretBytes {
        guard let key else { throw .invalidParameter }
        return key
    }

    /// Has a new keybag key, which no copy of an older vault gives away.
    mutating func renewKey() { key = .randomKey() }

    /// Makes a key for what only a passcode may open.
    mutating func addPasscodeClass() { keys[.whenPasscodeSetThisDeviceOnly] = .randomKey() }

    /// Destroys the key for what only a passcode may open.
    mutating func removePasscodeClass() { keys[.whenPasscodeSetThisDeviceOnly] = nil }

    /// The vault with these keys in it, and no others; its slots stay as they are.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.invalidParameter` when there is no keybag key to wrap them with.
    func sealed(in vault: Vault) throws(CryptoError) -> Vault {
        var vault = vault
        let ciphers = try KeybagCiphers(vault, key)
        for (index, accessibility) in Accessibility.allCases.enumerated() {
            vault.wrappedKeys[index] = []
            guard let key = keys[accessibility] else { continue }
            guard let cipher = ciphers.cipher(for: accessibility) else { throw .invalidParameter }
            let binding = WrappingBinding.classKey(accessibility, of: vault)
            vault.wrappedKeys[index] = try key.withSpan { (key) throws(CryptoError) in
                try cipher.seal(key, aad: binding.span)
            }
        }
        return vault
    }
}

/// The two keys that wrap class keys.
private struct KeybagCiphers {
    private let always: AESGCM
    private let others: AESGCM?

    init(_ vault: Vault, _ keybagKey: SecretBytes?) throws(CryptoError) {
        always = try vault.deriveKey(.deviceKeybag).makeCipher()
        others = try keybagKey?.makeCipher()
    }

    func cipher(for accessibility: Accessibility) -> AESGCM? {
        accessibility.availability == .always ? always : others
    }
}
