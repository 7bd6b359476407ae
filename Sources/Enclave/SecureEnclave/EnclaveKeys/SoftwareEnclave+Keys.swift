import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem
import Synchronization

/// Sealed keys: what is in the clear of one is associated data of what is not, under the class key of its class.
///
/// A private half is in memory while it is used, and for keys in software as long as ``LoadedKeys`` keeps it; no lock is held
/// meanwhile.
extension SoftwareEnclave {
    package func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey {
        // Before a chip is troubled for nothing.
        try requireOpen(binding.accessibility)
        let keyStore = try newKeyStore()
        let (privatePart, publicKey) = try keyStore.makeKey()
        let head = SealedKey(
            backend: keyStore.backend, origin: .madeInside, keyType: KeyType.ecSECPrimeRandom.number, bits: 256,
            binding: binding, publicKey: publicKey, sealed: [])
        return try seal(privatePart, as: head)
    }

    package func importKey(
        _ key: SecretBytes, type number: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        guard let type = KeyType(number: number) else { throw .unknownKeyType(number) }
        let (external, publicKey, bits) = try read(key, as: type)
        let head = SealedKey(
            backend: .software, origin: .imported, keyType: number, bits: UInt16(clamping: bits), binding: binding,
            publicKey: publicKey, sealed: [])
        return try seal(external, as: head)
    }

    /// Reads a private key and writes it anew, so that there is one form of it.
    private func read(
        _ key: SecretBytes, as type: KeyType
    ) throws(Refusal) -> (external: SecretBytes, publicKey: [UInt8], bits: Int) {
        do throws(CryptoError) {
            let key = try key.withSpan { (bytes) throws(CryptoError) in try PrivateKey(external: bytes, type: type) }
            return (try key.external(), key.publicKey.external(), key.bits)
        } catch { throw error == .malformedKey ? .malformedPrivateKey(type) : error.refusal("v_Data") }
    }

    package func checkKey(_ key: SealedKey) throws(Refusal) { _ = try open(key) }

    package func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        let privatePart = try open(key)
        let isSameGuard = binding.control == key.binding.control && binding.accessibility == key.binding.accessibility
        guard isSameGuard || !AccessControl.asksTheUser(key.binding.control) else { throw .needsUser }
        return try seal(privatePart, as: key.bound(to: binding))
    }

    package func useKey(
        _ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let privatePart = try open(key)
        if use.algorithm == KeyUse.attestation { return try attest(key, privatePart, nonce: use.input) }
        try key.checkUse()
        let operation = try PrivateKeyOperation(key, use)
        return try privatePart.withSpan { (privatePart) throws(Refusal) in
            guard key.origin == .madeInside else {
                return try operation.perform { (type) throws(CryptoError) in try loaded.key(privatePart, type) }
            }
            return try operation.perform(with: privatePart, in: try store(of: key))
        }
    }

    /// Says what the key is rather than using it, so that nobody has to be asked.
    private func attest(
        _ key: SealedKey, _ privatePart: SecretBytes, nonce: [UInt8]
    ) throws(Refusal) -> SecretBytes {
        guard key.origin == .madeInside else { throw .notAttestable }
        let store = try store(of: key)
        return try privatePart.withSpan { (part) throws(Refusal) in try store.attest(part, nonce: nonce).encoded }
    }

    /// Where new keys are made: where the device key is.
    private func newKeyStore() throws(Refusal) -> any EnclaveKeyStore {
        if let givenKeyStore { return givenKeyStore }
        return try file.roots.root(state.withLock { $0.vault.device.kind }).keyStore ?? SoftwareKeyStore(loaded)
    }

    /// The store that made a key. Software needs nothing but the key; the TPM's are used wherever the vault rests now.
    private func store(of key: SealedKey) throws(Refusal) -> any EnclaveKeyStore {
        if let givenKeyStore, key.backend == givenKeyStore.backend { return givenKeyStore }
        if key.backend == .software { return SoftwareKeyStore(loaded) }
        guard let store = (try? file.roots.root(.tpm))?.keyStore else { throw .keyOfAnotherStore }
        return store
    }
}

// MARK: - The box

extension SoftwareEnclave {
    private func requireOpen(_ accessibility: Accessibility) throws(Refusal) {
        try withCipher(for: accessibility, orRefuse: .needsPasscode) { _ in }
    }

    private func seal(_ privatePart: SecretBytes, as key: SealedKey) throws(Refusal) -> SealedKey {
        guard privatePart.count <= KeyLimits.privateKeyBytes - AESGCM.overhead else { throw .wrongSize("private key") }
        let accessibility = key.binding.accessibility
        let binding = WrappingBinding.sealedKey(head: key.head, accessibility)
        let box = try withCipher(for: accessibility, orRefuse: .needsPasscode) { (cipher) throws(CryptoError) in
            try privatePart.withSpan { (bytes) throws(CryptoError) in try cipher.seal(bytes, aad: binding.span) }
        }
        return key.sealed(as: box)
    }

    private func open(_ key: SealedKey) throws(Refusal) -> SecretBytes {
        let accessibility = key.binding.accessibility
        let binding = WrappingBinding.sealedKey(head: key.head, accessibility)
        guard key.sealed.count > AESGCM.overhead else { throw .damagedKey }
        do throws(Refusal) {
            return try withCipher(for: accessibility, orRefuse: .passcodeClassDestroyed) {
                (cipher) throws(CryptoError) in
                let privatePart = SecretBytes(count: key.sealed.count - AESGCM.overhead)
                try privatePart.withMutableSpan { (span) throws(CryptoError) in
                    try cipher.open(key.sealed.span, aad: binding.span, into: &span)
                }
                return privatePart
            }
        } catch {
            // Locked, perhaps by another process: then nothing may stay that was loaded before.
            if error.status == .interactionNotAllowed { forgetLoadedKeys() }
            throw error
        }
    }

    /// Forgets what is loaded for keys in use.
    func forgetLoadedKeys() {
        loaded.forget()
        for store in [givenKeyStore, (try? file.roots.root(.tpm))?.keyStore] { store?.forgetLoadedKeys() }
    }
}

extension SealedKey {
    /// The same head around another box.
    fileprivate func sealed(as box: [UInt8]) -> SealedKey {
        SealedKey(
            backend: backend, origin: origin, keyType: keyType, bits: bits, binding: binding, publicKey: publicKey,
            sealed: box)
    }

    fileprivate func bound(to binding: KeyBinding) -> SealedKey {
        SealedKey(
            backend: backend, origin: origin, keyType: keyType, bits: bits, binding: binding, publicKey: publicKey,
            sealed: [])
    }

    /// Whether the key may be used, and nobody has to be asked first (semantics D.5, F.5).
    ///
    /// - Throws: `errSecAuthFailed` for a key of the enclave whose access control does not allow its use (S-34);
    ///   `errSecInteractionNotAllowed` when the user would have to be asked, for here is nobody who asks.
    fileprivate func checkUse() throws(Refusal) {
        if AccessControl.asksTheUser(binding.control) { throw .needsUser }
        if origin == .madeInside, binding.control & AccessControl.privateKeyUsage == 0 { throw .usageNotAllowed }
    }
}
