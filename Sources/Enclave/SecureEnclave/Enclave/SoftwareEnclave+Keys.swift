import EnclaveWire
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem
import Synchronization

/// Sealed keys. The head of one is associated data of its private half, under the class key of its class.
///
/// A private half is in memory while it is used, and for keys in software as long as ``LoadedKeys`` keeps it; no lock
/// is held meanwhile.
extension SoftwareEnclave {
    package func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey {
        // Before a chip is troubled for nothing.
        try requireOpen(binding.accessibility)
        if AccessControl.asksTheUser(binding.control) { try requireBindable(binding.control, in: context) }
        let keyStore = try newKeyStore()
        let (privatePart, publicKey) = try keyStore.makeKey()
        let head = SealedKey(
            backend: keyStore.backend, origin: .madeInside, keyType: KeyType.ecSECPrimeRandom.number, bits: 256,
            binding: binding, publicKey: publicKey, sealed: [])
        return try seal(privatePart, as: head, in: context)
    }

    package func importKey(
        _ key: SecretBytes, type number: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        guard let type = KeyType(number: number) else { throw .unknownKeyType(number) }
        let (external, publicKey, bits) = try read(key, as: type)
        let head = SealedKey(
            backend: .software, origin: .imported, keyType: number, bits: UInt16(clamping: bits), binding: binding,
            publicKey: publicKey, sealed: [])
        return try seal(external, as: head, in: context)
    }

    /// Reads a private key and encodes it again, so that there is one form of it.
    private func read(
        _ key: SecretBytes, as type: KeyType
    ) throws(Refusal) -> (external: SecretBytes, publicKey: [UInt8], bits: Int) {
        do throws(CryptoError) {
            let key = try key.withSpan { (bytes) throws(CryptoError) in try PrivateKey(external: bytes, type: type) }
            return (try key.external(), key.publicKey.external(), key.bits)
        } catch { throw error == .malformedKey ? .malformedPrivateKey(type) : error.refusal("v_Data") }
    }

    package func checkKey(_ key: SealedKey) throws(Refusal) { _ = try openBox(key) }

    package func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        let isSameGuard = binding.control == key.binding.control && binding.accessibility == key.binding.accessibility
        let inner = try openBox(key)
        // Only the group is another one. The key's other bindings and its box under a password stay the same.
        if isSameGuard { return try sealBox(inner, as: key.bound(to: binding, key.guardBinding)) }
        let privatePart = try openPrivatePart(inner, of: key, for: .useItem, in: context)
        return try seal(privatePart, as: key.bound(to: binding), in: context)
    }

    package func useKey(
        _ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let inner = try openBox(key)
        if use.algorithm == KeyUse.attestation { return try attest(key, inner, nonce: use.input, in: context) }
        try key.checkUse()
        let operation = try PrivateKeyOperation(key, use)
        let privatePart = try openPrivatePart(inner, of: key, for: operation.guarded, in: context)
        return try privatePart.withSpan { (privatePart) throws(Refusal) in
            guard key.origin == .madeInside else {
                return try operation.perform { (type) throws(CryptoError) in try loaded.key(privatePart, type) }
            }
            return try operation.perform(with: privatePart, in: try store(of: key))
        }
    }

    /// Describes the key without using it, so that no prompt is needed.
    private func attest(
        _ key: SealedKey, _ inner: SecretBytes, nonce: [UInt8], in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        guard key.origin == .madeInside else { throw .notAttestable }
        let store = try store(of: key)
        let privatePart = try openPrivatePart(inner, of: key, for: nil, in: context)
        return try privatePart.withSpan { (part) throws(Refusal) in try store.attest(part, nonce: nonce).encoded }
    }

    /// Where new keys are made: where the device key is.
    func newKeyStore() throws(Refusal) -> any EnclaveKeyStore {
        if let givenKeyStore { return givenKeyStore }
        return try file.roots.root(state.withLock { $0.vault.device.kind }).keyStore ?? SoftwareKeyStore(loaded)
    }

    /// The store that made a key. A software key needs nothing but itself; a TPM's keys are used whatever the vault's
    /// root is now.
    private func store(of key: SealedKey) throws(Refusal) -> any EnclaveKeyStore { try store(key.backend) }

    func store(_ backend: SealedKey.Backend) throws(Refusal) -> any EnclaveKeyStore {
        if let givenKeyStore, backend == givenKeyStore.backend { return givenKeyStore }
        if backend == .software { return SoftwareKeyStore(loaded) }
        guard let store = (try? file.roots.root(.tpm))?.keyStore else { throw .keyOfAnotherStore }
        return store
    }
}
