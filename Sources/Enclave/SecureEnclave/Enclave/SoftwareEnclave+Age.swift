import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The age of vault and store; ``VaultAge`` has what holds whenever a crash comes.
extension SoftwareEnclave {
    package func renew(_ mark: StoreMark?, beginsBlock: Bool) throws(Refusal) -> StoreAge {
        do throws(Refusal) {
            let age = try state.withLock { (state) throws(Refusal) in
                // A vault that the root has not counted for long may also be older than its store. No call can accept
                // that.
                _ = try state.refreshOrTell(from: file)
                let age = try read(mark, in: &state)
                try state.checkAge()
                return age
            }
            try settleVault(before: age, insteadOf: mark)
            guard beginsBlock, let mark, case .current = age else { return age }
            return try beginBlock(after: mark)
        } catch {
            if error.rule == .olderVault { forgetWhatWasOpen() }
            throw error
        }
    }

    /// A store is marked only with a vault that the disk keeps, or a power cut would leave an older vault than the
    /// store knows. Another process may have put it in its place and not synced the folder yet, or in vain.
    private func settleVault(before age: StoreAge, insteadOf mark: StoreMark?) throws(Refusal) {
        if case .current(let next) = age, next != mark { try file.settle() }
    }

    private func read(_ mark: StoreMark?, in state: inout DeviceState) throws(Refusal) -> StoreAge {
        do throws(CryptoError) {
            switch try state.vault.read(mark) {
            case .current: return .current(try state.vault.mark())
            case .olderStore: return .older
            case .olderVault(let changes): state.distrust(.olderThanStore, knowing: changes)
            }
        } catch { throw .crypto(error) }
        throw .olderVault
    }

    /// Begins a block, unless another process has made the store an older one meanwhile. A vault of an early version
    /// has no room for blocks.
    private func beginBlock(after mark: StoreMark) throws(Refusal) -> StoreAge {
        var age = StoreAge.older
        try withVault { (vault) throws(Refusal) in
            age = try state.withLock { (state) throws(Refusal) in
                let age = try read(mark, in: &state)
                guard case .current = age, vault.version >= Vault.slotVersion else { return age }
                vault.age.confirm(mark)
                let seen = try replace(&vault, counting: .block)
                state.keep(vault, seen: seen)
                return try read(mark, in: &state)
            }
        }
        return age
    }

    package func acceptStore(_ passcode: FileDescriptor) throws(Refusal) -> StoreMark {
        let isSet = try passcodeIsSet()
        let passcode = isSet ? try read(passcode) : nil
        try withVault(acceptingAge: true) { (vault) throws(Refusal) in
            var keybag: Keybag
            if let passcode {
                keybag = try verify(passcode, opening: &vault)
            } else {
                keybag = try unlockedKeybag(of: vault)
            }
            try modernise(&vault, &keybag)
            vault.age.acceptStore()
            if state.withLock({ $0.distrust }) == .olderThanRoot { try vault.acceptCount(file.roots) }
            try commit(vault, keybag)
        }
        forgetWhatWasOpen()
        let vault = state.withLock { $0.vault }
        do { return try vault.mark() } catch { throw .crypto(error) }
    }

    private func passcodeIsSet() throws(Refusal) -> Bool {
        try state.withLock { (state) throws(Refusal) in
            _ = try state.refreshOrTell(from: file)
            return state.vault.passcode != nil
        }
    }
}
