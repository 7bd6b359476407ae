package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// What the engine asks of the Secure Enclave about private keys that only the enclave sees.
///
/// It answers whoever asks: that a caller may use a key of this group is for the engine to decide before. Every refusal
/// carries the state that caused it: `errSecInteractionNotAllowed` for a class that is closed now or a user who would
/// have to be asked, `errSecDecode` for a key that this enclave did not seal or whose head was changed.
package protocol EnclaveKeyService: Sendable {
    /// Makes a P-256 key inside. What its access control demands is bound to it as to a guarded row.
    func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey

    /// Takes a private key in, never to give it out again.
    ///
    /// - Parameters:
    ///   - key: its external representation.
    ///   - type: the value of `kSecAttrKeyType`, as a number.
    /// - Throws: `errSecParam` for what is no private key of this type.
    func importKey(
        _ key: SecretBytes, type: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey

    /// Does with a private key what the algorithm says, when what guards it is met in the context.
    ///
    /// - Throws: `errSecParam` for an algorithm the key has not, or input that does not fit it; `errSecAuthNeeded` when
    ///   the user has to be asked first.
    func useKey(_ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?) throws(Refusal) -> SecretBytes

    /// Whether this enclave sealed the key, with exactly this head.
    func checkKey(_ key: SealedKey) throws(Refusal)

    /// The same key bound to something else. What the user guards cannot be loosened without the user.
    func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey
}

// MARK: - Where nobody is asked

extension EnclaveKeyService {
    package func makeKey(_ binding: KeyBinding) throws(Refusal) -> SealedKey { try makeKey(binding, in: nil) }

    package func importKey(_ key: SecretBytes, type: UInt8, _ binding: KeyBinding) throws(Refusal) -> SealedKey {
        try importKey(key, type: type, binding, in: nil)
    }

    package func useKey(_ key: SealedKey, _ use: KeyUse) throws(Refusal) -> SecretBytes {
        try useKey(key, use, in: nil)
    }

    package func rebindKey(_ key: SealedKey, to binding: KeyBinding) throws(Refusal) -> SealedKey {
        try rebindKey(key, to: binding, in: nil)
    }
}
