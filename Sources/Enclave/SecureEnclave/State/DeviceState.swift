import FileFormat
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The state of a running enclave: the vault as it last read it, and the class keys that are open now.
///
/// The lock state is not kept but follows from the keys: what is closed has no key in memory.
//
// Its ciphers must not be used by two threads at once; the mutex the enclave keeps it in sees to that.
struct DeviceState: @unchecked Sendable {
    private(set) var vault: Vault
    private var seen: FileStatus
    /// Why the vault on disk is not believed; nil while it is.
    private(set) var distrust: Distrust?
    /// As many changes have the vaults had that this enclave knows of.
    private var newest: UInt64 = 0
    /// Another one after every lock and every change of the passcode: what a user showed before counts no more.
    private(set) var generation: UInt64 = 0
    /// By class, in the order of `Accessibility`.
    private var ciphers: [AESGCM?] = Accessibility.allCases.map { _ in nil }

    private let clock: DeviceClock
    private let epoch: StateEpoch
    private let policy: AdministratorPolicy
    /// The boot that the keys were opened in, and the second of their last use.
    private var opened: DeviceClock.Moment
    /// When the clock was last looked at.
    private var lastLook: UInt64

    /// The state after a start: open is what opens without anybody.
    ///
    /// - Throws: as ``VaultFile/load()``.
    init(
        opening file: VaultFile, _ clock: DeviceClock, _ epoch: StateEpoch, _ policy: AdministratorPolicy = .none
    ) throws(Refusal) {
        (vault, seen) = try file.load()
        (self.clock, self.epoch, self.policy) = (clock, epoch, policy)
        opened = clock.now()
        lastLook = opened.seconds
        try openClasses(of: try Keybag.opening(vault))
    }

    /// The cipher of a class, if it is open.
    @inline(__always)
    func cipher(for accessibility: Accessibility) -> AESGCM? { ciphers[Int(accessibility.rawValue) - 1] }

    var lockState: DeviceStatus.LockState {
        if vault.passcode == nil || cipher(for: .whenUnlocked) != nil { return .unlocked }
        return cipher(for: .afterFirstUnlock) == nil ? .beforeFirstUnlock : .locked
    }

    /// When it locks by itself: as the user wants, but no later than the administrator demands.
    var settings: DeviceSettings { policy.applied(to: vault.settings) }

    var details: DeviceDetails {
        DeviceDetails(
            settings: settings, slots: vault.slots.map { UnlockSlot(number: $0.number, kind: $0.kind) },
            recovery: RecoveryTexts(vault.recovery.map(\.text)))
    }

    /// Forgets the keys of the classes that need an unlocked device. Without a passcode that would protect nothing, for
    /// the device key opens them again.
    mutating func lock() { close { $0 == .whileUnlocked } }

    /// Forgets what a restart forgets. After one, a slot that needs nobody would open everything again: with such a
    /// slot this is a lock.
    mutating func end() { if vault.unattendedSlot == nil { closeForRestart() } else { lock() } }

    /// Forgets all keys but those that are always open, as a restart does.
    private mutating func closeForRestart() { close { $0 != .always } }

    private mutating func close(where closes: (Accessibility.Availability) -> Bool) {
        generation += 1
        guard vault.passcode != nil else { return }
        changing { state in
            for accessibility in Accessibility.allCases where closes(accessibility.availability) {
                state.set(nil, for: accessibility)
            }
        }
    }

    /// Takes over a vault that this enclave has just written, with all its keys.
    mutating func adopt(_ vault: Vault, _ keybag: Keybag, seen status: FileStatus) throws(Refusal) {
        try changing { (state) throws(Refusal) in
            if vault.passcode?.salt != state.vault.passcode?.salt { state.generation += 1 }
            (state.vault, state.seen, state.distrust) = (vault, status, nil)
            try state.openClasses(of: keybag)
            state.opened = state.clock.now()
            state.lastLook = state.opened.seconds
        }
    }

    /// Takes over a vault that this enclave has just written, with the same keys in it; what is closed stays closed.
    mutating func keep(_ vault: Vault, seen status: FileStatus) {
        changing { state in (state.vault, state.seen) = (vault, status) }
    }

    /// Reads the vault again if another process has replaced it.
    ///
    /// A passcode that another process set or changed locks the device here. Nobody has shown the new passcode here,
    /// and the key for passcode-only items can be another one. A passcode that was removed opens the device.
    ///
    /// - Throws: as ``VaultFile/load()``; `errSecNotAvailable` when it is another vault now.
    mutating func refresh(from file: VaultFile) throws(Refusal) {
        if try file.status() != seen {
            let (current, status) = try file.load()
            guard current.identifier == vault.identifier else { throw .exchangedVault }
            if current.age.isOlder(than: vault.age) || current.age.changes < newest {
                changing { $0.distrust = $0.distrust ?? .olderThanKnown }
            } else {
                try take(current, seen: status)
            }
        }
        try checkAge()
    }

    private mutating func take(_ current: Vault, seen status: FileStatus) throws(Refusal) {
        try changing { (state) throws(Refusal) in
            let passcodeChanged = current.passcode?.salt != state.vault.passcode?.salt
            let wasClosed = state.distrust == .olderThanStore
            (state.vault, state.seen) = (current, status)
            if state.distrust != .olderThanRoot { state.distrust = nil }
            guard passcodeChanged || wasClosed else { return }
            state.lock()
            if current.passcode == nil || wasClosed { try state.openClasses(of: try Keybag.opening(current)) }
        }
    }

    /// Whether another process has replaced the vault.
    func isOutdated(_ file: VaultFile) -> Bool { (try? file.status()) != seen }

    private mutating func openClasses(of keybag: Keybag) throws(Refusal) {
        set(nil, for: .whenPasscodeSetThisDeviceOnly)
        for (accessibility, key) in keybag.keys {
            do { set(try key.makeCipher(), for: accessibility) } catch { throw .crypto(error) }
        }
    }

    private mutating func set(_ cipher: AESGCM?, for accessibility: Accessibility) {
        ciphers[Int(accessibility.rawValue) - 1] = cipher
    }
}

// MARK: - Time

extension DeviceState {
    /// Notes that keys are about to be used, and closes them first when their time is over.
    ///
    /// - Returns: whether it closed any.
    @inline(__always)
    mutating func use() -> Bool {
        let now = clock.seconds()
        // Nearly always: somebody was here within the same second.
        if now == opened.seconds { return false }
        let closes = notice(now)
        opened.seconds = now
        return closes
    }

    /// Closes what was used too long ago, or in another boot.
    ///
    /// - Returns: whether it closed anything.
    mutating func notice(_ now: UInt64) -> Bool {
        guard now != lastLook, vault.passcode != nil else { return false }
        lastLook = now
        let before = lockState
        // A process that was brought back to life after a restart has keys that nobody has opened since.
        if opened.boot != clock.now().boot {
            closeForRestart()
            opened.boot = clock.now().boot
        }
        if idleTime(left: now) == 0 { lock() }
        return lockState != before
    }

    /// Seconds until the keys will surely have been out of use too long; nil when they may be for ever, or are closed.
    func idleTime(left now: UInt64) -> UInt64? {
        let limit = UInt64(settings.idleSeconds)
        guard limit > 0, vault.passcode != nil, lockState == .unlocked else { return nil }
        // A clock that runs backwards is not the one the time began on: nobody knows how much has passed.
        guard now >= opened.seconds else { return 0 }
        let passed = now - opened.seconds
        // Both are whole seconds: so many more may be nearly one second less.
        return passed > limit ? 0 : limit - passed + 1
    }

    /// Opens what opens without anybody, when the session says that its user is there.
    mutating func openUnattended() throws(Refusal) {
        guard distrust == nil, lockState != .unlocked, vault.unattendedSlot != nil else { return }
        try changing { (state) throws(Refusal) in
            try state.openClasses(of: try Keybag.opening(state.vault))
            state.opened = state.clock.now()
            state.lastLook = state.opened.seconds
        }
    }
}

// MARK: - Age

extension DeviceState {
    /// The source that knows of a newer vault than the one on disk.
    enum Distrust: Equatable {
        /// This enclave: it goes on with what it knows, and nothing else is done with the vault.
        case olderThanKnown
        /// The store. Everything is closed.
        case olderThanStore
        /// The root. Everything is closed, until the user says that this vault is meant.
        case olderThanRoot
    }

    /// - Throws: `errSecNotAvailable` when the vault is not believed.
    func checkAge() throws(Refusal) {
        switch distrust {
        case nil: break
        case .olderThanKnown, .olderThanStore: throw .olderVault
        case .olderThanRoot: throw .olderKeychain
        }
    }

    /// As ``refresh(from:)``, for a caller that only reports the state.
    mutating func refreshOrTell(from file: VaultFile) throws(Refusal) -> KeychainAge {
        do throws(Refusal) { try refresh(from: file) } catch {
            guard distrust != nil else { throw error }
        }
        switch distrust {
        case nil: return .current
        case .olderThanKnown, .olderThanStore: return .olderVault
        case .olderThanRoot: return .olderKeychain
        }
    }

    /// Closes everything that an old vault has opened.
    mutating func distrust(_ reason: Distrust, knowing changes: UInt64 = 0) {
        generation += 1
        newest = max(newest, changes)
        changing { state in
            state.distrust = reason
            for accessibility in Accessibility.allCases { state.set(nil, for: accessibility) }
        }
    }

}

// MARK: - The epoch

extension DeviceState {
    private struct Seen: Equatable {
        let lockState: DeviceStatus.LockState
        let passcode: [UInt8]?
        let details: DeviceDetails
        let distrust: Distrust?
    }

    private var visible: Seen {
        Seen(lockState: lockState, passcode: vault.passcode?.salt, details: details, distrust: distrust)
    }

    /// Makes a change, and counts it if it can be seen.
    private mutating func changing<Failure: Error>(_ body: (inout Self) throws(Failure) -> Void) throws(Failure) {
        let before = visible
        defer { if visible != before { epoch.advance() } }
        try body(&self)
    }
}

extension Keybag {
    /// Opens what opens without anybody.
    fileprivate static func opening(_ vault: Vault) throws(Refusal) -> Keybag {
        do { return try Keybag(openingUnattended: vault) } catch {
            throw error == .authenticationFailed ? .damagedVault : .crypto(error)
        }
    }
}
