internal import KeychainClient
internal import KeychainModel
internal import KeychainWire

/// Whether the keychain is open, and how well it is protected. An extension to Apple's API, where `UIApplication` has
/// notifications for this.
///
///     for await state in KeychainState.changes {
///         if state.lock == .unlocked { resume() }
///     }
public struct KeychainState: Hashable, Sendable {
    /// The parts of the keychain that are open (Apple, `kSecAttrAccessible`).
    public enum Lock: Sendable {
        /// Nobody has unlocked the keychain since the machine, or its daemon, was started. Only items that are always
        /// accessible are open.
        case beforeFirstUnlock
        /// Items that need an unlocked device are closed.
        case locked
        /// Everything is open. A keychain without a passcode is always unlocked.
        case unlocked
    }

    /// The protection against an attacker with a copy of the disk.
    public enum Protection: Sendable {
        /// Only the permissions of the files.
        case softwareOnly
        /// The user's passcode.
        case passcode
        /// A key that does not leave the machine's TPM.
        case hardware
    }

    /// The parts of the keychain that are open now.
    public let lock: Lock
    /// Whether there is a passcode; without one nothing is ever locked.
    public let passcodeIsSet: Bool
    /// The protection of the keychain's files.
    public let protection: Protection

    package init(lock: Lock, passcodeIsSet: Bool, protection: Protection) {
        (self.lock, self.passcodeIsSet, self.protection) = (lock, passcodeIsSet, protection)
    }

    /// The state now.
    ///
    /// - Throws: ``SecItemError`` with `errSecNotAvailable` when no keychain can be reached.
    public static var current: KeychainState {
        get throws {
            do throws(Refusal) {
                guard case .status(let status) = try KeychainSession.current().device(.status, passcodes: []) else {
                    throw .malformed("the device status")
                }
                return KeychainState(status)
            } catch { throw SecItemError(error) }
        }
    }

    /// The state now, and then every new state. Several changes in quick succession may arrive as one.
    ///
    /// All sequences of a process share one thread, which the keychain wakes. An unreachable keychain is asked again
    /// until it answers. The sequence ends with the task that reads it.
    public static var changes: AsyncStream<KeychainState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in DeviceStateObservers.subscribe(continuation)
        }
    }
}

extension KeychainState {
    init(_ status: DeviceStatus) {
        lock =
            switch status.lockState {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .locked: .locked
            case .unlocked: .unlocked
            }
        passcodeIsSet = status.passcodeIsSet
        protection =
            switch status.protection {
            case .softwareOnly: .softwareOnly
            case .passcode: .passcode
            case .hardware: .hardware
            }
    }
}
