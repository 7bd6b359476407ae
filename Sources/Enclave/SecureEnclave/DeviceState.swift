import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// What a running enclave knows: the vault as it last read it, and the class keys that are open now.
///
/// The lock state is not kept but follows from the keys: what is closed has no key in memory.
//
// Its ciphers must not be used by two threads at once; the mutex the enclave keeps it in sees to that.
struct DeviceState: @unchecked Sendable {
    private(set) var vault: Vault
    private var seen: FileStatus
    /// Another one after every lock and every change of the passcode: what a user showed before counts no more.
    private(set) var generation: UInt64 = 0
    /// By class, in the order of `Accessibility`.
    private var ciphers: [AESGCM?] = Accessibility.allCases.map { _ in nil }

    /// The state after a start: open is what opens without a passcode.
    ///
    /// - Throws: as ``VaultFile/load()``.
    init(opening file: VaultFile) throws(Refusal) {
        (vault, seen) = try file.load()
        try open(try Keybag.opening(vault))
    }

    /// The cipher of a class, if it is open.
    @inline(__always)
    func cipher(for accessibility: Accessibility) -> AESGCM? { ciphers[Int(accessibility.rawValue) - 1] }

    var lockState: DeviceStatus.LockState {
        if vault.passcode == nil || cipher(for: .whenUnlocked) != nil { return .unlocked }
        return cipher(for: .afterFirstUnlock) == nil ? .beforeFirstUnlock : .locked
    }

    /// Forgets the keys of the classes that need an unlocked device. Without a passcode that would protect nothing, for the
    /// device key opens them again.
    mutating func lock() {
        generation += 1
        guard vault.passcode != nil else { return }
        for accessibility in Accessibility.allCases where accessibility.availability == .whileUnlocked {
            set(nil, for: accessibility)
        }
    }

    /// Takes over a vault that this enclave has just written, with all its keys.
    mutating func adopt(_ vault: Vault, _ keybag: Keybag, seen status: FileStatus) throws(Refusal) {
        if vault.passcode != self.vault.passcode { generation += 1 }
        (self.vault, seen) = (vault, status)
        try open(keybag)
    }

    /// Takes over a vault that this enclave has just written, with the same keys in it; what is closed stays closed.
    mutating func keep(_ vault: Vault, seen status: FileStatus) { (self.vault, seen) = (vault, status) }

    /// Reads the vault again if another process has replaced it.
    ///
    /// A passcode that was set or changed elsewhere locks the device here: nobody has shown here that he knows it, and the key
    /// for what only a passcode may open can be another one. A passcode that was removed opens it.
    ///
    /// - Throws: as ``VaultFile/load()``; `errSecNotAvailable` when it is another vault now.
    mutating func refresh(from file: VaultFile) throws(Refusal) {
        if try file.status() == seen { return }
        let (current, status) = try file.load()
        guard current.identifier == vault.identifier else { throw .exchangedVault }
        let passcodeChanged = current.passcode != vault.passcode
        (vault, seen) = (current, status)
        guard passcodeChanged else { return }
        lock()
        if current.passcode == nil { try open(try Keybag.opening(current)) }
    }

    /// Whether another process has replaced the vault.
    func isOutdated(_ file: VaultFile) -> Bool { (try? file.status()) != seen }

    private mutating func open(_ keybag: Keybag) throws(Refusal) {
        set(nil, for: .whenPasscodeSetThisDeviceOnly)
        for (accessibility, key) in keybag.keys {
            do { set(try key.makeCipher(), for: accessibility) } catch { throw .crypto(error) }
        }
    }

    private mutating func set(_ cipher: AESGCM?, for accessibility: Accessibility) {
        ciphers[Int(accessibility.rawValue) - 1] = cipher
    }
}

extension Keybag {
    /// Opens what opens without a passcode.
    fileprivate static func opening(_ vault: Vault) throws(Refusal) -> Keybag {
        do { return try Keybag(opening: vault) } catch {
            throw error == .authenticationFailed ? .damagedVault : .crypto(error)
        }
    }
}
