package import EnclaveWire
package import KeychainModel
import KeychainWire
import LinuxSystem

/// The automatic lock and unlock: with the user's session, with sleep, and after a time without use.
extension SoftwareEnclave {
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
        case .ended: try? close { $0.end() }
        }
        watch.look()
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
