import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A credential that a person showed to open the keychain.
struct Credential: Sendable {
    let kind: CredentialKind
    let bytes: SecretBytes

    init(_ kind: CredentialKind, _ bytes: SecretBytes) { (self.kind, self.bytes) = (kind, bytes) }
}

extension SoftwareEnclave {
    /// How long the writer of a passcode's pipe may take.
    static let passcodeTimeout = 10_000

    func read(_ file: FileDescriptor) throws(Refusal) -> SecretBytes {
        let passcode: SecretBytes
        do {
            passcode = try PasscodeFile.read(
                file, limit: WireLimits.passcodeBytes, deadline: .after(milliseconds: Self.passcodeTimeout))
        } catch { throw .unreadablePasscode(error) }
        guard passcode.count > 0 else { throw .emptyPasscode }
        return passcode
    }

    /// Opens the keybag with the passcode, if one is set and no wait is left. The attempt is on disk before the
    /// passcode is checked.
    ///
    /// - Returns: the keys; `vault` has no failed attempts then, which is for the caller to write.
    func verify(_ passcode: SecretBytes, opening vault: inout Vault) throws(Refusal) -> Keybag {
        try verify(Credential(.passcode, passcode), opening: &vault)
    }

    /// The same with any credential. All kinds share the count and the wait, so that a guesser cannot change the kind
    /// to go on.
    func verify(_ credential: Credential, opening vault: inout Vault) throws(Refusal) -> Keybag {
        let credential = try Self.normalised(credential)
        guard vault.slots.contains(where: { $0.kind.credential == credential.kind }) else {
            throw .noSlot(for: credential.kind)
        }
        let moment = clock.now()
        let wait = vault.attempts.remainingWait(at: moment)
        guard wait == 0 else { throw .throttled(wait: wait) }
        let before = vault.attempts
        vault.attempts.add(at: moment)
        try count(&vault)
        do throws(Refusal) {
            let keybag = try unlockedKeybag(of: vault, with: credential)
            vault.attempts = FailedAttempts()
            user.forgetMisses()
            return keybag
        } catch {
            // The credential was not checked, so the attempt is taken back.
            if !error.isWrongCredential {
                vault.attempts = before
                try? count(&vault)
            }
            throw error
        }
    }

    /// The credential is the secret that a recovery code encodes. A text that is no code is no attempt.
    private static func normalised(_ credential: Credential) throws(Refusal) -> Credential {
        guard credential.kind == .recoveryCode else { return credential }
        do throws(RecoveryCode.Mistake) {
            return Credential(.recoveryCode, try RecoveryCode(credential.bytes).secret)
        } catch { throw .mistypedCode(error) }
    }

    /// Opens the keybag with the passcode; without one, the keys that need none.
    func unlockedKeybag(of vault: Vault, passcode: SecretBytes? = nil) throws(Refusal) -> Keybag {
        if let passcode { return try unlockedKeybag(of: vault, with: Credential(.passcode, passcode)) }
        do { return try Keybag(openingUnattended: vault) } catch { throw .crypto(error) }
    }

    /// Opens the keybag with a credential for one of the slots of its kind.
    private func unlockedKeybag(of vault: Vault, with credential: Credential) throws(Refusal) -> Keybag {
        let root = try file.roots.root(vault.device.kind)
        for slot in vault.slots where slot.kind.credential == credential.kind {
            if let keybag = try self.keybag(of: vault, slot, credential.bytes, root) { return keybag }
        }
        throw .wrong(credential.kind, wait: vault.attempts.remainingWait(at: clock.now()))
    }

    /// - Returns: nil when it is the wrong credential.
    private func keybag(
        of vault: Vault, _ slot: VaultSlot, _ credential: SecretBytes, _ root: any DeviceRoot
    ) throws(Refusal) -> Keybag? {
        let key: SecretBytes
        do throws(PasscodeLockFailure) { key = try vault.key(of: slot, credential, root) } catch {
            switch error {
            case .wrongKey: return nil
            case .lockedOut(let seconds):
                throw .throttled(wait: max(vault.attempts.remainingWait(at: clock.now()), seconds))
            case .refused(let refusal): throw refusal
            }
        }
        do throws(CryptoError) { return try Keybag(opening: vault, slot, key) } catch {
            if error == .authenticationFailed { return nil }
            throw .crypto(error)
        }
    }

    /// A new slot with the keybag key in it.
    ///
    /// - Parameter credential: the credential that will open it; nil for a slot that takes none.
    func slot(
        _ kind: UnlockSlot.Kind, number: UInt8, _ credential: SecretBytes?, holding keybag: Keybag, in vault: Vault
    ) throws(Refusal) -> VaultSlot {
        let root = try file.roots.root(vault.device.kind)
        var slot = VaultSlot(kind, number: number, cost: try price(of: kind))
        let key = try vault.makeKey(of: &slot, credential, root)
        do { return try vault.slot(slot, holding: try keybag.requireKey(), under: key) } catch { throw .crypto(error) }
    }

    private func price(of kind: UnlockSlot.Kind) throws(Refusal) -> Argon2id? {
        guard kind == .passcode || kind == .tpmWithPIN else { return nil }
        do { return try cost.derivation } catch { throw .crypto(error) }
    }
}

extension Refusal {
    fileprivate var isWrongCredential: Bool { [.wrongPasscode, .wrongRecoveryCode, .wrongPIN].contains(rule) }
}
