import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A Secure Enclave without hardware: class keys and passcode guarded by a vault file, in this process or one of its own.
///
/// What it promises:
/// 1. No class key, device key or passcode leaves it; a class key is in memory only while its class is open, a passcode only
///    while it is looked at.
/// 2. Without a passcode everything but `akpu` opens with the device key alone, as on a phone without one (S-78).
/// 3. Every attempt at the passcode is on disk before it is looked at, so that no crash and no restart gives one for free.
/// 4. The file holds the old vault or the new one, whenever a crash comes; it is never replaced by a fresh one.
///
/// Thread-safe: keys are used under one mutex that is held for microseconds; passcodes are checked under another.
package final class SoftwareEnclave: EnclaveService {
    let file: VaultFile
    let clock: DeviceClock
    let cost: PasscodeCost
    private let kind: String
    let state: Lock<DeviceState>
    /// Held from the first look at a passcode to the last consequence.
    let passcodes = Lock(())
    let loaded = LoadedKeys()
    /// Where its own private keys are made and used.
    let keyStore: any EnclaveKeyStore

    /// Opens the vault.
    ///
    /// - Parameters:
    ///   - vault: the path of the file; its folder must be this user's alone.
    ///   - createIfMissing: whether to make a vault where there is none: only when there is no store either, for a new vault
    ///     cannot open its items.
    ///   - kind: what a person calls this enclave.
    ///   - passcodeCost: what a guess costs, for passcodes that are set from now on.
    ///   - keyStore: where private keys are made and used; by default in this process.
    /// - Throws: `errSecNotAvailable` when the vault is missing or cannot be read, `errSecDecode` when it is damaged; nothing
    ///   was changed then.
    package init(
        vault path: String, createIfMissing: Bool, kind: String = "in process",
        passcodeCost: PasscodeCost = .calibrated, clock: DeviceClock = .system,
        keyStore: (any EnclaveKeyStore)? = nil
    ) throws(Refusal) {
        file = VaultFile(path: path)
        (self.kind, self.clock, cost) = (kind, clock, passcodeCost)
        self.keyStore = keyStore ?? SoftwareKeyStore(loaded)
        if createIfMissing {
            try file.makeFolder()
        } else {
            guard try file.exists else { throw .missingVault(path) }
        }
        // Of two processes that start at once, one makes the vault and the other finds it.
        let lock = try file.lock()
        defer { lock.release() }
        try file.removeLeftovers()
        if createIfMissing { try Self.ensureVault(file) }
        state = Lock(try DeviceState(opening: file))
    }

    private static func ensureVault(_ file: VaultFile) throws(Refusal) {
        if try file.exists { return }
        let vault: Vault
        do { vault = try Keybag().sealed(in: Vault(), passcode: nil) } catch { throw .crypto(error) }
        _ = try file.replace(with: vault)
    }

    package func status() throws(Refusal) -> EnclaveStatus {
        try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: file)
            let isSet = state.vault.passcode != nil
            return EnclaveStatus(
                protection: isSet ? .passcode : .softwareOnly, lockState: state.lockState, passcodeIsSet: isSet,
                failedAttempts: state.vault.attempts.count,
                retryAfter: state.vault.attempts.remainingWait(at: clock.now()), kind: kind)
        }
    }

    package func lock() throws(Refusal) {
        defer { forgetLoadedKeys() }
        try state.withLock { (state) throws(Refusal) in
            // First of all, so that a vault that cannot be read leaves nothing open.
            state.lock()
            try state.refresh(from: file)
        }
    }
}

// MARK: - Keys

extension SoftwareEnclave {
    package func indexKey() throws(Refusal) -> SecretBytes {
        let vault = state.withLock { $0.vault }
        do { return try vault.deriveKey(.index) } catch { throw .crypto(error) }
    }

    package func makeMetadataKey(for accessibility: Accessibility) throws(Refusal) -> (
        key: SecretBytes, wrapped: [UInt8]
    ) {
        let key = SecretBytes.randomKey()
        return (key, try wrap(key, bound: WrappingBinding.metadata(accessibility), for: accessibility))
    }

    package func unwrapMetadataKey(
        _ wrapped: [UInt8], for accessibility: Accessibility
    ) throws(Refusal) -> SecretBytes {
        guard wrapped.count == RowKeyRecord.wrappedBytes else { throw .damagedKey }
        return try withCipher(for: accessibility, orRefuse: .passcodeClassDestroyed) { (cipher) throws(CryptoError) in
            let key = SecretBytes(count: RowKeyRecord.keyBytes)
            try key.withMutableSpan { (span) throws(CryptoError) in
                try cipher.open(wrapped.span, aad: WrappingBinding.metadata(accessibility).span, into: &span)
            }
            return key
        }
    }

    package func wrapRowKey(
        _ key: SecretBytes, row: Span<UInt8>, for accessibility: Accessibility
    ) throws(Refusal) -> [UInt8] {
        guard key.count == RowKeyRecord.keyBytes else { throw .wrongSize("row key") }
        guard row.count == RowKeyRecord.rowBytes else { throw .wrongSize("row identity") }
        return try wrap(key, bound: WrappingBinding.row(row, accessibility), for: accessibility)
    }

    private func wrap(
        _ key: SecretBytes, bound binding: [UInt8], for accessibility: Accessibility
    ) throws(Refusal) -> [UInt8] {
        try withCipher(for: accessibility, orRefuse: .needsPasscode) { (cipher) throws(CryptoError) in
            try key.withSpan { (key) throws(CryptoError) in try cipher.seal(key, aad: binding.span) }
        }
    }

    /// Lends the cipher of an open class, by the vault as it is on disk now.
    func withCipher<Result: Sendable>(
        for accessibility: Accessibility, orRefuse withoutPasscode: Refusal,
        _ body: (AESGCM) throws(CryptoError) -> Result
    ) throws(Refusal) -> Result {
        try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: file)
            guard let cipher = state.cipher(for: accessibility) else {
                throw state.vault.passcode == nil ? withoutPasscode : .locked(accessibility)
            }
            do throws(CryptoError) { return try body(cipher) } catch { throw .crypto(error) }
        }
    }
}
