import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

extension Vault {
    /// Makes the vault of a new keychain.
    ///
    /// - Throws: what the root refuses; `errSecInternalComponent` when the library fails.
    init(on root: any DeviceRoot) throws(Refusal) {
        self.init(Self.agedVersion, identifier: Randomness.bytes(16), on: try Device(on: root))
        age.block = 1
        do { self = try keeping(indexKey: .randomKey()) } catch { throw .crypto(error) }
    }

    /// This vault as version 4, with a new keybag key behind the slot that was opened; itself when it is one already.
    ///
    /// - Throws: `CryptoError.libraryFailure`; `.invalidParameter` for a keybag that no slot opened.
    func modernised(_ keybag: inout Keybag) throws(CryptoError) -> Vault {
        guard version < Self.slotVersion else { return self }
        guard let opened = keybag.openedBy, let slot = slots.first else { throw .invalidParameter }
        var vault = Vault(Self.agedVersion, identifier: identifier, on: device)
        vault = try vault.keeping(indexKey: try indexKey())
        vault.attempts = attempts
        keybag.renewKey()
        vault.slots = [try vault.slot(slot, holding: try keybag.requireKey(), under: opened)]
        return try keybag.sealed(in: vault)
    }
}

extension VaultFile {
    /// Makes the vault of a new keychain, if there is none.
    ///
    /// - Throws: what the root or the administrator refuses; as ``replace(with:)``.
    func ensureVault(on kind: DeviceRootKind, _ policy: AdministratorPolicy) throws(Refusal) {
        if try exists { return }
        if kind == .software { try policy.checkSoftware() }
        var vault = try Vault(on: try roots.root(kind))
        do throws(CryptoError) {
            let keybag = Keybag()
            let key = try vault.key(ofUnattended: VaultSlot(.device))
            vault.slots = [try vault.slot(VaultSlot(.device), holding: try keybag.requireKey(), under: key)]
            vault = try keybag.sealed(in: vault)
        } catch { throw .crypto(error) }
        _ = try replace(with: vault)
    }
}
