import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// What a guess at a passcode costs (Argon2id, RFC 9106).
package enum PasscodeCost: Sendable {
    /// 64 MiB, 3 passes, 1 lane: about 85 ms on a machine of 2024, which a person does not feel and a guesser does.
    case calibrated
    /// As little as possible, for simulated devices that protect nothing.
    case cheapest

    var derivation: Argon2id {
        get throws(CryptoError) {
            switch self {
            case .calibrated: try Argon2id(memory: 64 << 10, passes: 3)
            case .cheapest: try Argon2id(memory: 8, passes: 1)
            }
        }
    }
}

extension SoftwareEnclave {
    /// How long the writer of a passcode's pipe may take.
    static let passcodePatience = 10_000

    /// Opens the classes with the passcode. Without one nothing is closed, and none is looked at.
    package func unlock(passcode: FileDescriptor) throws(Refusal) {
        let passcode = try read(passcode)
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { return }
            let keybag = try verify(passcode, opening: &vault)
            try commit(vault, keybag)
        }
    }

    package func setPasscode(_ new: FileDescriptor) throws(Refusal) {
        let new = try read(new)
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode == nil else { throw .passcodeIsSet }
            var keybag = try open(vault)
            keybag.addPasscodeClass()
            try rewrap(keybag, in: vault, passcode: new)
        }
    }

    package func changePasscode(from old: FileDescriptor, to new: borrowing FileDescriptor) throws(Refusal) {
        let (old, new) = (try read(old), try read(copy new))
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscode }
            try rewrap(try verify(old, opening: &vault), in: vault, passcode: new)
        }
    }

    package func removePasscode(_ old: FileDescriptor) throws(Refusal) {
        let old = try read(old)
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscode }
            var keybag = try verify(old, opening: &vault)
            keybag.removePasscodeClass()
            try rewrap(keybag, in: vault, passcode: nil)
        }
    }

    func read(_ file: FileDescriptor) throws(Refusal) -> SecretBytes {
        let passcode: SecretBytes
        do {
            passcode = try PasscodeFile.read(
                file, limit: WireLimits.passcodeBytes, deadline: .after(milliseconds: Self.passcodePatience))
        } catch { throw .unreadablePasscode(error) }
        guard passcode.count > 0 else { throw .emptyPasscode }
        return passcode
    }

    /// Lends the vault as it is on disk; nobody else checks a passcode or replaces it meanwhile, here or in another process.
    func withVault(_ body: (inout Vault) throws(Refusal) -> Void) throws(Refusal) {
        try passcodes.withLock { (_) throws(Refusal) in
            let lock = try file.lock()
            defer { lock.release() }
            var vault = try state.withLock { (state) throws(Refusal) in
                try state.refresh(from: file)
                return state.vault
            }
            try body(&vault)
        }
    }

    /// Opens the keybag with the passcode, if it is one and it is time; the attempt is on disk before the passcode is looked at.
    ///
    /// - Returns: the keys; `vault` has no failed attempts then, which is for the caller to write.
    func verify(_ passcode: SecretBytes, opening vault: inout Vault) throws(Refusal) -> Keybag {
        let moment = clock.now()
        let wait = vault.attempts.remainingWait(at: moment)
        guard wait == 0 else { throw .throttled(wait: wait) }
        let before = vault.attempts
        vault.attempts.add(at: moment)
        _ = try file.replace(with: vault)
        do throws(Refusal) {
            let keybag = try open(vault, passcode: passcode)
            vault.attempts = FailedAttempts()
            user.forgetMisses()
            return keybag
        } catch {
            // Nobody has looked at the passcode, so nothing was guessed.
            if error.rule != .wrongPasscode {
                vault.attempts = before
                _ = try? file.replace(with: vault)
            }
            throw error
        }
    }

    /// Opens the keybag: with the passcode, or without one what opens without.
    func open(_ vault: Vault, passcode: SecretBytes? = nil) throws(Refusal) -> Keybag {
        let wait = vault.attempts.remainingWait(at: clock.now())
        do throws(PasscodeLockFailure) {
            let secret = try secret(vault, passcode)
            do { return try Keybag(opening: vault, secret) } catch {
                throw error == .authenticationFailed ? .wrongKey : .refused(.crypto(error))
            }
        } catch {
            switch error {
            case .wrongKey: throw .wrongPasscode(wait: wait)
            case .lockedOut(let seconds): throw .throttled(wait: max(wait, seconds))
            case .refused(let refusal): throw refusal
            }
        }
    }

    private func secret(_ vault: Vault, _ passcode: SecretBytes?) throws(PasscodeLockFailure) -> SecretBytes? {
        guard let passcode, let derivation = vault.passcode else { return nil }
        let root: any DeviceRoot
        do { root = try file.roots.root(vault.device.kind) } catch { throw .refused(error) }
        return try vault.passcodeSecret(passcode, derivation, root)
    }

    /// Wraps the class keys anew, under the passcode or under the device key alone; the items are not touched.
    private func rewrap(_ keybag: Keybag, in vault: Vault, passcode: SecretBytes?) throws(Refusal) {
        try commit(try sealed(keybag, in: vault, passcode: passcode), keybag)
    }

    /// The vault with the class keys wrapped anew.
    func sealed(_ keybag: Keybag, in vault: Vault, passcode: SecretBytes?) throws(Refusal) -> Vault {
        var vault = vault
        vault.passcode = nil
        var secret: SecretBytes?
        if let passcode { secret = try set(passcode, in: &vault) }
        do { return try keybag.sealed(in: vault, secret) } catch { throw .crypto(error) }
    }

    private func set(_ passcode: SecretBytes, in vault: inout Vault) throws(Refusal) -> SecretBytes {
        let root = try file.roots.root(vault.device.kind)
        var derivation: PasscodeDerivation
        do { derivation = PasscodeDerivation(cost: try cost.derivation, salt: Randomness.bytes(16)) } catch {
            throw .crypto(error)
        }
        defer { vault.passcode = derivation }
        do throws(PasscodeLockFailure) { return try vault.makePasscodeSecret(passcode, &derivation, root) } catch {
            if case .refused(let refusal) = error { throw refusal }
            throw .damagedVault
        }
    }

    // Under the mutex of the keys, so that no reader meets the new file with the old keys.
    func commit(_ vault: Vault, _ keybag: Keybag) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            try state.adopt(vault, keybag, seen: try file.replace(with: vault))
        }
    }
}
