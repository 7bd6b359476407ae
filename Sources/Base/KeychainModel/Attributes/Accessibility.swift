/// The protection classes: when an item may be opened (rule protection.class.states).
package enum Accessibility: UInt8, CaseIterable, Sendable {
    case whenUnlocked = 1
    case afterFirstUnlock = 2
    case always = 3
    case whenUnlockedThisDeviceOnly = 4
    case afterFirstUnlockThisDeviceOnly = 5
    case alwaysThisDeviceOnly = 6
    case whenPasscodeSetThisDeviceOnly = 7

    /// The device state that an item of this class requires.
    package enum Availability: Sendable { case whileUnlocked, sinceFirstUnlock, always }

    /// The value of `kSecAttrAccessible`.
    package var code: String {
        switch self {
        case .whenUnlocked: "ak"
        case .afterFirstUnlock: "ck"
        case .always: "dk"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .alwaysThisDeviceOnly: "dku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        }
    }

    package var availability: Availability {
        switch self {
        case .whenUnlocked, .whenUnlockedThisDeviceOnly, .whenPasscodeSetThisDeviceOnly: .whileUnlocked
        case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: .sinceFirstUnlock
        case .always, .alwaysThisDeviceOnly: .always
        }
    }

    /// Items of the class may not leave the device, in a backup or by synchronisation (rule protection.device.bound).
    package var isThisDeviceOnly: Bool {
        switch self {
        case .whenUnlocked, .afterFirstUnlock, .always: false
        default: true
        }
    }

    /// Deprecated by Apple: readable on a locked device (rule protection.class.always).
    package var isDiscouraged: Bool { self == .always || self == .alwaysThisDeviceOnly }

    package init?(code: String) {
        guard let found = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = found
    }
}
