internal import Foundation
internal import Security

/// A protection class: when an item can be opened, and whether it may leave the device. Source: Apple,
/// `kSecAttrAccessible`.
public enum Protection: String, CaseIterable, Hashable, Sendable {
    /// While the device is unlocked.
    case whenUnlocked = "ak"
    /// From the first unlock after the start of the device: for work in the background.
    case afterFirstUnlock = "ck"
    /// While the device is unlocked, and on this device alone.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock after the start of the device, on this device alone.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// While the device is unlocked and has a passcode. Removing the passcode destroys the item.
    case whenPasscodeSetThisDeviceOnly = "akpu"
}
