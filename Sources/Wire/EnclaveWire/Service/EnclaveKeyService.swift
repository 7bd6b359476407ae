package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's calls for private keys that only the enclave sees.
///
/// The enclave does not ask which program calls. The engine has checked before that the caller may use a key of this
/// group. Every refusal carries the state that caused it: `errSecInteractionNotAllowed` for a class that is closed now,
/// or for a user who would have to be asked; `errSecDecode` for a key that another enclave sealed, or whose head was
/// changed.
package protocol EnclaveKeyService: Sendable {
    /// Makes a P-256 key inside. The requirements of its access control are bound to it as to a guarded row.
    func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey

    /// Takes a private key in, never to give it out again.
    ///
    /// - Parameters:
    ///   - key: its external representation.
    ///   - type: the value of `kSecAttrKeyType`, as a number.
    /// - Throws: `errSecParam` for bytes that are no private key of this type.
    func importKey(
        _ key: SecretBytes, type: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey

    /// Performs the algorithm with a private key, if the context has the grants for it.
    ///
    /// - Throws: `errSecParam` for an algorithm the key has not, or input that does not fit it; `errSecAuthNeeded` when
    ///   the user has to be asked first.
    func useKey(_ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?) throws(Refusal) -> SecretBytes

    /// Whether this enclave sealed the key, with exactly this head.
    func checkKey(_ key: SealedKey) throws(Refusal)

    /// The same key bound to something else. An access control cannot be loosened without the user.
    func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey
}
