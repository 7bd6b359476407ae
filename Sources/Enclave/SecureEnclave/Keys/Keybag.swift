import KeychainCrypto
import KeychainModel
import LinuxSystem

/// Class keys in the clear, for as long as it takes to put them to use or to wrap them anew.
struct Keybag: Sendable {
    private(set) var keys: [Accessibility: SecretBytes]

    /// Makes the keys of a new vault: of every class but the one that needs a passcode.
    init() {
        keys = [:]
        for accessibility in Accessibility.allCases where accessibility != .whenPasscodeSetThisDeviceOnly {
            keys[accessibility] = .randomKey()
        }
    }

    /// Opens what can be opened: everything with the right passcode or when none is set, otherwise the keys of the classes that
    /// are always open.
    ///
    /// - Parameter secret: what the passcode gives (``PasscodeDerivation``).
    /// - Throws: `CryptoError.authenticationFailed` when the passcode is wrong; `.libraryFailure`.
    init(opening vault: Vault, _ secret: SecretBytes? = nil) throws(CryptoError) {
        keys = [:]
        let ciphers = try KeybagCiphers(vault, secret)
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

    /// Makes a key for what only a passcode may open.
    mutating func addPasscodeClass() { keys[.whenPasscodeSetThisDeviceOnly] = .randomKey() }

    /// Destroys the key for what only a passcode may open.
    mutating func removePasscodeClass() { keys[.whenPasscodeSetThisDeviceOnly] = nil }

    /// The vault with these keys in it, and no others, wrapped as its own passcode derivation says.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.invalidParameter` when a passcode is to be set and none is given.
    func sealed(in vault: Vault, _ secret: SecretBytes?) throws(CryptoError) -> Vault {
        var vault = vault
        let ciphers = try KeybagCiphers(vault, secret)
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

    init(_ vault: Vault, _ secret: SecretBytes?) throws(CryptoError) {
        always = try vault.deriveKey(.deviceKeybag).makeCipher()
        others = try vault.keybagKey(secret)?.makeCipher()
    }

    func cipher(for accessibility: Accessibility) -> AESGCM? {
        accessibility.availability == .always ? always : others
    }
}

extension SecretBytes {
    /// The cipher under this key.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.invalidParameter` when this is not the size of a key.
    func makeCipher() throws(CryptoError) -> AESGCM {
        try withSpan { (key) throws(CryptoError) in try AESGCM(key: key) }
    }
}
