internal import Foundation
internal import Security

/// When an item may be opened, and whether it may leave the device (`kSecAttrAccessible`, semantics D.1).
public enum Protection: String, CaseIterable, Hashable, Sendable {
    /// While the device is unlocked.
    case whenUnlocked = "ak"
    /// From the first time it is unlocked after it was started: for work in the background.
    case afterFirstUnlock = "ck"
    /// While the device is unlocked, and on this device alone.
    case whenUnlockedThisDeviceOnly = "aku"
    /// From the first unlock on, on this device alone.
    case afterFirstUnlockThisDeviceOnly = "cku"
    /// While the device is unlocked and has a passcode; gone with the passcode.
    case whenPasscodeSetThisDeviceOnly = "akpu"
}
