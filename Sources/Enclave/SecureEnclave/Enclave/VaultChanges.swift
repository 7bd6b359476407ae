import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// Changes of the vault: under its lock, on disk and in memory at once, and counted.
extension SoftwareEnclave {
    /// Calls `body` with the vault as it is on disk. Until it returns, no thread and no other process checks a passcode
    /// or replaces the vault.
    ///
    /// - Parameter acceptingAge: whether the vault may be older than its root has seen it; for the call that accepts
    ///   such a vault.
    func withVault(
        acceptingAge: Bool = false, _ body: (inout Vault) throws(Refusal) -> Void
    ) throws(Refusal) {
        try passcodes.withLock { (_) throws(Refusal) in
            let lock = try file.lock()
            defer { lock.release() }
            var vault = try state.withLock { (state) throws(Refusal) in
                let age = try state.refreshOrTell(from: file)
                if !(acceptingAge && age == .olderKeychain) { try state.checkAge() }
                return state.vault
            }
            try body(&vault)
        }
    }

    /// Makes a vault of an earlier version one that can have slots.
    func modernise(_ vault: inout Vault, _ keybag: inout Keybag) throws(Refusal) {
        do { vault = try vault.modernised(&keybag) } catch { throw .crypto(error) }
    }

    // Under the mutex of the keys, so that no reader meets the new file with the old keys.
    func commit(_ vault: Vault, _ keybag: Keybag, counting change: VaultChange = .content) throws(Refusal) {
        var (vault, keybag) = (vault, keybag)
        try modernise(&vault, &keybag)
        try state.withLock { (state) throws(Refusal) in
            let seen = try replace(&vault, counting: change)
            try state.adopt(vault, keybag, seen: seen)
        }
        watch.look()
    }

    /// Writes the attempts down, here too: a vault from before them is an old one from then on.
    func count(_ vault: inout Vault) throws(Refusal) { try keep(&vault, counting: .attempt) }

    /// Writes a change that leaves the keys as they are.
    func keep(_ vault: inout Vault, counting change: VaultChange) throws(Refusal) {
        try state.withLock { (state) throws(Refusal) in
            let seen = try replace(&vault, counting: change)
            state.keep(vault, seen: seen)
        }
    }

    /// Replaces the vault and counts that, in it and where it is due in its root.
    ///
    /// - Throws: as ``VaultFile/replace(with:)``.
    func replace(_ vault: inout Vault, counting change: VaultChange) throws(Refusal) -> FileStatus {
        vault.note(change)
        let counter = rootTick.counter(for: vault, after: change, at: clock, file.roots)
        if let counter { vault.age.tick = counter.next }
        let seen = try file.replace(with: vault)
        if let counter { rootTick.follow(counter, at: clock) }
        return seen
    }
}
