package import EnclaveWire
import Glibc
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Moving a keychain's keys onto another root: from software onto a TPM, or back.
///
/// The class keys stay the same and are wrapped again. So no item is rewritten, and keys made in software work as
/// before. Nothing is left in the TPM: its objects are in the vault. One step decides: the replacement of the file.
/// Before it the old vault holds, after it the new one, whenever a crash comes.
extension SoftwareEnclave {
    package func move(to kind: DeviceRootKind, passcode: FileDescriptor) throws(Refusal) {
        if kind == .software { try policy.checkSoftware() }
        let root = try file.roots.root(kind)
        try withVault { (vault) throws(Refusal) in
            guard vault.device.kind != kind else { throw .alreadyThere(kind) }
            let passcode = vault.passcode == nil ? nil : try read(passcode)
            let keybag: Keybag
            if let passcode {
                keybag = try verify(passcode, opening: &vault)
            } else {
                keybag = try unlockedKeybag(of: vault)
            }
            let (moved, holding) = try successor(of: vault, on: root, keybag, passcode)
            try check(moved, holds: keybag, passcode: passcode)
            let old = try? FileDescriptor.open(file.path, O_WRONLY | O_NOFOLLOW)
            try commit(try counted(moved), holding)
            if let old { overwrite(old) }
            // It is not needed any more, and does no harm if it stays.
            try? vault.counter(file.roots)?.remove()
        }
    }

    /// The same vault on another root. Slots that rest on a TPM stay behind; a recovery code opens as before.
    private func successor(
        of vault: Vault, on root: any DeviceRoot, _ keybag: Keybag, _ passcode: SecretBytes?
    ) throws(Refusal) -> (Vault, Keybag) {
        var (vault, keybag) = (vault, keybag)
        try modernise(&vault, &keybag)
        var successor = Vault(Vault.agedVersion, identifier: vault.identifier, on: try Vault.Device(on: root))
        (successor.settings, successor.attempts, successor.age) = (vault.settings, vault.attempts, vault.age)
        if let circle = vault.circle { successor.keep(circle) }
        // The class keys that prove them move too.
        if !vault.recovery.isEmpty { successor.keep(recovery: vault.recovery, proof: vault.recoveryProof) }
        do { successor = try successor.keeping(indexKey: try vault.indexKey()) } catch { throw .crypto(error) }
        let kind: UnlockSlot.Kind = passcode == nil ? .device : .passcode
        successor.slots =
            [try slot(kind, number: 0, passcode, holding: keybag, in: successor)]
            + vault.slots.filter { $0.kind == .recovery }
        do { return (try keybag.sealed(in: successor), keybag) } catch { throw .crypto(error) }
    }

    /// The vault with a count of its own in the new root, where there is one.
    private func counted(_ vault: Vault) throws(Refusal) -> Vault {
        var vault = vault
        vault.age.tick = 0
        guard let counter = try vault.counter(file.roots) else { return vault }
        vault.age.tick = (try? counter.make()) ?? RootTick.beginning
        return vault
    }

    /// Opens the new vault as the next start will, before the old one is replaced.
    private func check(_ moved: Vault, holds keybag: Keybag, passcode: SecretBytes?) throws(Refusal) {
        let content: SecretBuffer
        do { content = try moved.encoded() } catch { throw .crypto(error) }
        let read = try content.withSpan { (bytes) throws(Refusal) in try Vault(decoding: bytes, file.roots) }
        let opened = try unlockedKeybag(of: read, passcode: passcode)
        guard opened.hasSameKeys(as: keybag) else { throw .damagedVault }
    }

    /// Writes zeros over a file that is in no folder any more. File systems that write in place lose the content so.
    /// Others, and snapshots, may keep it. So no page promises it.
    private func overwrite(_ file: FileDescriptor) {
        guard let size = (try? FileStatus(of: file))?.size else { return }
        try? file.writeFully([UInt8](repeating: 0, count: min(size, 1 << 16)).span)
        fsync(file.number)
    }
}

extension Keybag {
    fileprivate func hasSameKeys(as other: Keybag) -> Bool {
        keys.count == other.keys.count
            && keys.allSatisfy { accessibility, key in other.keys[accessibility].map { $0.isEqual(to: key) } ?? false }
    }
}
