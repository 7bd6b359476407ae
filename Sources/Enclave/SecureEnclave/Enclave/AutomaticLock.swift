package import EnclaveWire
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The automatic lock and unlock: with the user's session, with sleep, and after a time without use.
extension SoftwareEnclave {
    /// The longest time without use that can be asked for: a year. More would be no limit at all.
    package static let longestIdle: UInt32 = 366 * 24 * 60 * 60

    /// Follows the user's session.
    ///
    /// An unlocked session opens only keys that need no credential. The login's passcode was shown to another program.
    /// Only `pam_keychain`, or the user, can hand it on.
    package func sessionChanged(_ event: SessionEvent) {
        switch event {
        case .locked: try? lock()
        case .goingToSleep: if state.withLock({ $0.settings.locksOnSleep }) { try? lock() }
        case .unlocked: try? state.withLock { (state) throws(Refusal) in try state.openUnattended() }
        case .awake: _ = try? status()
        }
        watch.look()
    }

    package func change(_ settings: DeviceSettings) throws(Refusal) {
        guard settings.idleSeconds <= Self.longestIdle else { throw .idleTooLong }
        try policy.check(settings)
        _ = try status()
        try withVault { (vault) throws(Refusal) in
            if vault.passcode == nil {
                var keybag = try unlockedKeybag(of: vault)
                try modernise(&vault, &keybag)
            }
            try state.withLock { (state) throws(Refusal) in
                // The first unlock by this release upgrades the vault; only an upgraded vault stores settings.
                guard state.lockState == .unlocked, vault.version >= Vault.slotVersion else { throw .lockedSettings }
                vault.settings = settings
                let seen = try replace(&vault, counting: .content)
                state.keep(vault, seen: seen)
            }
        }
        lookAtTheClock()
    }

    /// Starts the thread that locks after a time without use. A program that closes itself in does this before;
    /// otherwise it is started when there is a time to watch.
    package func startWatching() throws(Refusal) {
        do throws(SystemError) {
            try watch.start { [weak self] in self?.lookAround() }
        } catch { throw .noWatch(error) }
    }

    /// Looks at the clock, and whether the vault is still the one that was written last.
    ///
    /// - Returns: seconds until the next check.
    private func lookAround() -> UInt64? {
        // The next call that needs the vault reports one that cannot be read.
        _ = try? state.withLock { (state) throws(Refusal) in try state.refreshOrTell(from: file) }
        return min(lockIfIdle() ?? .max, Self.longestBlindness)
    }

    /// How many seconds a vault replaced on disk may go unnoticed while no call needs it.
    private static let longestBlindness: UInt64 = 60

    /// Closes the classes after a time without use.
    ///
    /// - Returns: seconds until the next check; nil when there is nothing to wait for.
    func lockIfIdle() -> UInt64? {
        let (closes, left) = state.withLock { state in
            // Read under the lock: a moment before the last use looks like a clock that runs backwards.
            let now = clock.seconds()
            let closes = state.notice(now)
            return (closes, state.idleTime(left: now))
        }
        if closes { forgetWhatWasOpen() }
        return left
    }

    /// Has the clock watched from now on, if there is a time to watch.
    func lookAtTheClock() {
        if state.withLock({ $0.settings.idleSeconds }) > 0 { try? startWatching() }
        watch.look()
    }
}
