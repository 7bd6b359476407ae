package import KeychainModel
package import LinuxSystem

/// What the engine asks of the Secure Enclave about private keys that only the enclave sees.
///
/// It answers whoever asks: that a caller may use a key of this group is for the engine to decide before. Every refusal
/// carries the state that caused it: `errSecInteractionNotAllowed` for a class that is closed now or a user who would have to
/// be asked, `errSecDecode` for a key that this enclave did not seal or whose head was changed.
package protocol EnclaveKeyService: Sendable {
    /// Makes a P-256 key inside.
    func makeKey(_ binding: KeyBinding) throws(Refusal) -> SealedKey

    /// Takes a private key in, never to give it out again.
    ///
    /// - Parameters:
    ///   - key: its external representation.
    ///   - type: the value of `kSecAttrKeyType`, as a number.
    /// - Throws: `errSecParam` for what is no private key of this type.
    func importKey(_ key: SecretBytes, type: UInt8, _ binding: KeyBinding) throws(Refusal) -> SealedKey

    /// Does with a private key what the algorithm says.
    ///
    /// - Throws: `errSecParam` for an algorithm the key has not, or input that does not fit it.
    func useKey(_ key: SealedKey, _ use: KeyUse) throws(Refusal) -> SecretBytes

    /// Whether this enclave sealed the key, with exactly this head.
    func checkKey(_ key: SealedKey) throws(Refusal)

    /// The same key bound to something else. What the user guards cannot be loosened without the user.
    func rebindKey(_ key: SealedKey, to binding: KeyBinding) throws(Refusal) -> SealedKey
}
