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
    private static let passcodePatience = 10_000

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

    private func read(_ file: FileDescriptor) throws(Refusal) -> SecretBytes {
        let passcode: SecretBytes
        do {
            passcode = try PasscodeFile.read(
                file, limit: WireLimits.passcodeBytes, deadline: .after(milliseconds: Self.passcodePatience))
        } catch { throw .unreadablePasscode(error) }
        guard passcode.count > 0 else { throw .emptyPasscode }
        return passcode
    }

    /// Lends the vault as it is on disk; nobody else checks a passcode or replaces it meanwhile, here or in another process.
    private func withVault(_ body: (inout Vault) throws(Refusal) -> Void) throws(Refusal) {
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
    private func verify(_ passcode: SecretBytes, opening vault: inout Vault) throws(Refusal) -> Keybag {
        let moment = clock.now()
        let wait = vault.attempts.remainingWait(at: moment)
        guard wait == 0 else { throw .throttled(wait: wait) }
        vault.attempts.add(at: moment)
        _ = try file.replace(with: vault)
        let keybag = try open(vault, passcode: passcode)
        vault.attempts = FailedAttempts()
        return keybag
    }

    private func open(_ vault: Vault, passcode: SecretBytes? = nil) throws(Refusal) -> Keybag {
        do { return try Keybag(opening: vault, passcode: passcode) } catch {
            guard error == .authenticationFailed else { throw .crypto(error) }
            throw .wrongPasscode(wait: vault.attempts.remainingWait(at: clock.now()))
        }
    }

    /// Wraps the class keys anew, under the passcode or under the device key alone; the items are not touched.
    private func rewrap(_ keybag: Keybag, in vault: Vault, passcode: SecretBytes?) throws(Refusal) {
        var vault = vault
        do throws(CryptoError) {
            let derivation = PasscodeDerivation(cost: try cost.derivation, salt: Randomness.bytes(16))
            vault.passcode = passcode == nil ? nil : derivation
            vault = try keybag.sealed(in: vault, passcode: passcode)
        } catch { throw .crypto(error) }
        try commit(vault, keybag)
    }

    // Under the mutex of the keys, so that no reader meets the new file with the old keys.
    private func commit(_ vault: Vault, _ keybag: Keybag) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            try state.adopt(vault, keybag, seen: try file.replace(with: vault))
        }
    }
}
