/// The classes of protection: when the key of a file is given out.
package enum FileProtection: UInt8, CaseIterable, Sendable {
    case complete = 1
    case completeUnlessOpen = 2
    case completeUntilFirstUserAuthentication = 3
    case none = 4
}

extension FileProtection {
    /// The protection classes that a shelf of this one may have.
    package var accessibilities: [Accessibility] {
        switch self {
        case .complete: [.whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly]
        case .completeUnlessOpen: [.whenUnlocked, .whenUnlockedThisDeviceOnly]
        case .completeUntilFirstUserAuthentication: [.afterFirstUnlock, .afterFirstUnlockThisDeviceOnly]
        case .none: [.always, .alwaysThisDeviceOnly]
        }
    }
}
