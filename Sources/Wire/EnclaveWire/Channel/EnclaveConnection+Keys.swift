package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Sealed keys through the channel.
extension EnclaveConnection {
    package func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey {
        try send(EnclaveCalls.makeKey, KeyCreation(context: context, binding: binding))
    }

    package func importKey(
        _ key: SecretBytes, type: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        try send(EnclaveCalls.importKey, KeyImport(context: context, type: type, binding: binding, key: key))
    }

    package func useKey(
        _ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        try use.checkSize()
        return try send(EnclaveCalls.useKey, SealedKeyUse(context: context, key: key, use: use)).secret
    }

    package func checkKey(_ key: SealedKey) throws(Refusal) { _ = try send(EnclaveCalls.checkKey, key) }

    package func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        try send(EnclaveCalls.rebindKey, KeyRebinding(context: context, key: key, binding: binding))
    }
}
