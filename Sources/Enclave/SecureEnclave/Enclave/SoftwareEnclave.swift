package import EnclaveWire
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A Secure Enclave in software: class keys and passcode guarded by a vault file, in this process or one of its own. A
/// ``DeviceRoot`` protects the file: the file itself, or a TPM.
///
/// Its guarantees:
/// 1. No class key, device key or passcode leaves it; a class key is in memory only while its class is open, a passcode
///    only while it is looked at.
/// 2. Without a passcode everything but `akpu` opens with the device key alone, as on a phone without one (rule
///    protection.passcode.none).
/// 3. Every attempt at the passcode is on disk before it is looked at, so that no crash and no restart gives one for
///    free.
/// 4. The file holds the old vault or the new one, whenever a crash comes; it is never replaced by a fresh one.
///
/// Thread-safe: keys are used under one mutex that is held for microseconds; passcodes are checked under another.
package final class SoftwareEnclave: EnclaveService {
    let file: VaultFile
    let clock: DeviceClock
    let cost: PasscodeCost
    private let kind: String
    let state: Lock<DeviceState>
    package let epoch = StateEpoch()
    /// Locks after a time without use, even when no call comes.
    let watch = IdleWatch()
    let rootTick = RootTick()
    /// Held from the check of a passcode until the last change that follows from it.
    let passcodes = Lock(())
    let loaded = LoadedKeys()
    /// The backups under way.
    let backups = Lock(OpenBackups())
    /// The statements that this enclave has made, and will sign.
    let stated = Lock(StatementsMade())
    /// Members that batches introduce whose turn has not come.
    let heralded = Lock(HeraldedMembers())
    /// The pairing that is under way.
    let pairing = Lock<Pairing?>(nil)
    /// Batches of circles that this machine may enter by a recovery key.
    let offered = Lock(OfferedBatches())
    /// Held while a backup's passphrase is stretched, which takes much memory: one at a time for all callers.
    let stretching = Lock(())
    /// Where its own private keys are made and used, if that is not for the vault's root to say.
    let givenKeyStore: (any EnclaveKeyStore)?
    let user: UserAccess
    /// The number of the last unlock (``EnclaveStatus/lastUnlock``).
    let lastUnlock = Lock<UInt64>(0)
    let policy: AdministratorPolicy

    /// Opens the vault.
    ///
    /// - Parameters:
    ///   - vault: the path of the file; its folder must be this user's alone.
    ///   - createIfMissing: whether to make a missing vault. True only when there is no store either, because a new
    ///     vault cannot open the items of an old store.
    ///   - makesFolder: whether to make the folder of a new vault, too. A folder that another program has made may have
    ///     been deleted since, and must not come back.
    ///   - kind: the name of this enclave for people.
    ///   - passcodeCost: the cost of a guess, for passcodes that are set from now on.
    ///   - roots: the roots that a vault may have here.
    ///   - preferred: the root of a new vault. An existing vault keeps its root.
    ///   - keyStore: where private keys are made and used; by default the store of the vault's root.
    ///   - userAgent: reaches the user. Without one nobody is asked, and everything with access control stays closed.
    ///   - acceptsLoginPassword: whether the password of the user's login counts as the passcode while none is set.
    ///   - policy: the requirements of the machine's administrator.
    /// - Throws: `errSecNotAvailable` when the vault is missing, cannot be read or is of another device, `errSecDecode`
    ///   when it is damaged; nothing was changed then.
    package init(
        vault path: String, createIfMissing: Bool, makesFolder: Bool = true, kind: String = "in process",
        passcodeCost: PasscodeCost = .standard, clock: DeviceClock = .system,
        roots: DeviceRoots = .softwareOnly, preferring preferred: DeviceRootKind = .software,
        keyStore: (any EnclaveKeyStore)? = nil, userAgent: (any UserAgent)? = nil, acceptsLoginPassword: Bool = false,
        policy: AdministratorPolicy = .none
    ) throws(Refusal) {
        self.policy = policy
        file = VaultFile(path: path, roots: roots)
        user = UserAccess(userAgent, acceptsLoginPassword: acceptsLoginPassword)
        (self.kind, self.clock, cost) = (kind, clock, passcodeCost)
        givenKeyStore = keyStore
        if createIfMissing {
            if makesFolder { try file.makeFolder() }
        } else {
            guard try file.exists else { throw .missingVault(path) }
        }
        // Of two processes that start at once, one makes the vault and the other finds it.
        let lock = try file.lock()
        defer { lock.release() }
        try file.removeLeftovers()
        if createIfMissing { try file.ensureVault(on: preferred, policy) }
        var opened = try DeviceState(opening: file, clock, epoch, policy)
        try opened.checkRoot(of: file)
        state = Lock(opened)
        lookAtTheClock()
    }

    deinit { watch.end() }

    /// The root of the vault at the path; nil when there is none.
    ///
    /// - Throws: `errSecNotAvailable` when it cannot be read, `errSecDecode` when it is damaged.
    package static func root(ofVault path: String) throws(Refusal) -> DeviceRootKind? {
        try VaultFile(path: path, roots: .softwareOnly).kind()
    }

    package func status() throws(Refusal) -> EnclaveStatus {
        var closes = false
        defer { if closes { forgetWhatWasOpen() } }
        return try state.withLock { (state) throws(Refusal) in
            // This uses no key, so the time without use goes on.
            closes = state.notice(clock.seconds())
            let age = try state.refreshOrTell(from: file)
            let (vault, isSet) = (state.vault, state.vault.passcode != nil)
            let root = try file.roots.root(vault.device.kind)
            let protection: DeviceStatus.Protection =
                root.kind == .tpm ? .hardware : isSet ? .passcode : .softwareOnly
            return EnclaveStatus(
                protection: protection, lockState: state.lockState, passcodeIsSet: isSet,
                failedAttempts: vault.attempts.count, retryAfter: wait(vault, root),
                kind: [kind, root.title].compactMap { $0 }.joined(separator: ", "), age: age,
                lastUnlock: lastUnlock.withLock { $0 })
        }
    }

    /// Until the next attempt at the passcode: the vault's own wait, or the root's when it is longer.
    private func wait(_ vault: Vault, _ root: any DeviceRoot) -> UInt32 {
        let own = vault.attempts.remainingWait(at: clock.now())
        // Without an attempt there is nothing to wait for, and the chip need not be asked.
        return vault.attempts.count == 0 ? own : max(own, (try? root.remainingLockout()) ?? 0)
    }

    /// Forgets the objects loaded for keys that are closed now, and all grants.
    func forgetWhatWasOpen() {
        forgetLoadedKeys()
        user.forgetAll()
        backups.withLock { $0.forgetAll() }
        pairing.withLock { $0 = nil }
    }

    /// Forgets what is loaded for keys in use.
    func forgetLoadedKeys() {
        loaded.forget()
        for store in [givenKeyStore, (try? file.roots.root(.tpm))?.keyStore] { store?.forgetLoadedKeys() }
    }

    package func lock() throws(Refusal) { try close { $0.lock() } }

    /// Closes classes, and drops what the user has shown.
    func close(_ body: (inout DeviceState) -> Void) throws(Refusal) {
        defer { forgetWhatWasOpen() }
        try state.withLock { (state) throws(Refusal) in
            // First of all, so that a vault that cannot be read leaves nothing open.
            body(&state)
            try state.refresh(from: file)
        }
    }
}

// MARK: - Keys

extension SoftwareEnclave {
    package func indexKey() throws(Refusal) -> SecretBytes {
        let vault = state.withLock { $0.vault }
        do { return try vault.indexKey() } catch { throw .crypto(error) }
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
        var closes = false
        defer { if closes { forgetWhatWasOpen() } }
        return try state.withLock { (state) throws(Refusal) in
            closes = state.use()
            try state.refresh(from: file)
            guard let cipher = state.cipher(for: accessibility) else {
                throw state.vault.passcode == nil ? withoutPasscode : .locked(accessibility)
            }
            do throws(CryptoError) { return try body(cipher) } catch { throw .crypto(error) }
        }
    }
}
