import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The box of a sealed key: under the class key, with the head as associated data; in it the private half, or a box of
/// it under the application password.
extension SoftwareEnclave {
    func requireOpen(_ accessibility: Accessibility) throws(Refusal) {
        try withCipher(for: accessibility, orRefuse: .needsPasscode) { _ in }
    }

    /// Seals a private half, bound to the requirements of its access control.
    func seal(
        _ privatePart: SecretBytes, as key: SealedKey, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        let control = key.binding.control
        guard AccessControl.asksTheUser(control) else { return try sealBox(privatePart, as: key) }
        let (binding, inner) = try bind(privatePart, to: control, in: context)
        return try sealBox(inner, as: key.bound(to: key.binding, binding))
    }

    func sealBox(_ inner: SecretBytes, as key: SealedKey) throws(Refusal) -> SealedKey {
        guard inner.count <= KeyLimits.privateKeyBytes - AESGCM.overhead else { throw .wrongSize("private key") }
        return key.sealed(as: try seal(inner, aad: key.aad, for: key.binding.accessibility))
    }

    /// Returns the private half from the opened box, if the context has the grants for it.
    ///
    /// - Parameter operation: nil to describe the key, which takes only its password.
    func openPrivatePart(
        _ inner: SecretBytes, of key: SealedKey, for operation: GuardedOperation?, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        try openGuarded(inner, key.guardBinding ?? GuardBinding(), for: key.use(for: operation), in: context)
    }

    /// Opens the box alone: that the key is one of this enclave's, with exactly this head, is known then.
    func openBox(_ key: SealedKey) throws(Refusal) -> SecretBytes {
        do throws(Refusal) { return try openBox(key.sealed, aad: key.aad, for: key.binding.accessibility) } catch {
            // Locked, perhaps by another process: then nothing may stay that was loaded before.
            if error.status == .interactionNotAllowed { forgetLoadedKeys() }
            throw error
        }
    }
}

extension SealedKey {
    fileprivate var aad: [UInt8] { WrappingBinding.sealedKey(head: head, binding.accessibility) }

    /// The same head around another box.
    fileprivate func sealed(as box: [UInt8]) -> SealedKey { copy(binding, guardBinding, box) }

    /// The same key, bound to something else, without a box.
    func bound(to binding: KeyBinding, _ guardBinding: GuardBinding? = nil) -> SealedKey {
        copy(binding, guardBinding, [])
    }

    private func copy(_ binding: KeyBinding, _ guardBinding: GuardBinding?, _ box: [UInt8]) -> SealedKey {
        SealedKey(
            backend: backend, origin: origin, keyType: keyType, bits: bits, binding: binding, publicKey: publicKey,
            guardBinding: guardBinding, sealed: box)
    }

    /// The operation that the access control guards. A description of the key needs no user.
    fileprivate func use(for operation: GuardedOperation?) -> GuardedUse {
        let flags = operation == nil ? binding.control & AccessConstraint.applicationPassword : binding.control
        return GuardedUse(
            identifier: identifier, constraint: AccessConstraint(flags: flags), operation: operation ?? .useItem)
    }

    /// Whether the key may be used at all (rules access-control.flags.private-key, keys.enclave.algorithms).
    ///
    /// - Throws: `errSecAuthFailed` for a key of the enclave whose access control does not allow its use (rule
    ///   access-control.flags.private-key).
    func checkUse() throws(Refusal) {
        if origin == .madeInside, binding.control & AccessControl.privateKeyUsage == 0 { throw .usageNotAllowed }
    }
}
