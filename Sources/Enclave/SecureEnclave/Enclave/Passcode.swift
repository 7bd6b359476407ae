import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

extension SoftwareEnclave {
    /// Opens the classes with the passcode. If none is set, nothing is closed, and the file is not read.
    package func unlock(passcode: FileDescriptor) throws(Refusal) { try unlock(with: .passcode, passcode) }

    package func unlock(with kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal) {
        try unlock(with: Credential(kind, try read(credential)))
    }

    /// The same with a credential that was read, or that the user has typed.
    func unlock(with credential: Credential) throws(Refusal) {
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { return }
            let keybag = try verify(credential, opening: &vault)
            try commit(vault, keybag, counting: .attempt)
        }
        lastUnlock.withLock { $0 = .random(in: 1 ... .max) }
    }

    package func setPasscode(_ new: FileDescriptor) throws(Refusal) {
        let new = try readNew(new)
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode == nil else { throw .passcodeIsSet }
            var keybag = try unlockedKeybag(of: vault)
            keybag.addPasscodeClass()
            try rewrap(keybag, in: vault, passcode: new)
        }
    }

    package func changePasscode(from old: FileDescriptor, to new: borrowing FileDescriptor) throws(Refusal) {
        try replacePasscode(with: copy new, by: .passcode, old)
    }

    package func replacePasscode(
        with new: FileDescriptor, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let (credential, new) = (Credential(kind, try read(credential)), try readNew(new))
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscode }
            var keybag = try verify(credential, opening: &vault)
            try modernise(&vault, &keybag)
            vault.slots[0] = try slot(.passcode, number: 0, new, holding: keybag, in: vault)
            try commit(vault, keybag)
        }
    }

    /// A passcode that is to be set: one that the administrator lets pass.
    private func readNew(_ file: FileDescriptor) throws(Refusal) -> SecretBytes {
        let passcode = try read(file)
        try policy.check(passcode: passcode)
        return passcode
    }

    /// Slots of an earlier passcode must not open the keys that come after. All slots go, and with them their key.
    package func removePasscode(_ old: FileDescriptor) throws(Refusal) {
        try policy.checkRemoval()
        let old = try read(old)
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscode }
            var keybag = try verify(old, opening: &vault)
            keybag.removePasscodeClass()
            try rewrap(keybag, in: vault, passcode: nil)
        }
    }

    /// Wraps the class keys again, under a fresh keybag key: in the passcode's slot, or the device's alone.
    private func rewrap(_ keybag: Keybag, in vault: Vault, passcode: SecretBytes?) throws(Refusal) {
        var (vault, keybag) = (vault, keybag)
        try modernise(&vault, &keybag)
        keybag.renewKey()
        vault.slots = [try slot(passcode == nil ? .device : .passcode, number: 0, passcode, holding: keybag, in: vault)]
        do { vault = try keybag.sealed(in: vault) } catch { throw .crypto(error) }
        try commit(vault, keybag)
    }
}
