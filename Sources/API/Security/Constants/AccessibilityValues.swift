// The seven protection classes, values of `kSecAttrAccessible` (S-21). "ThisDeviceOnly" items never leave the device,
// not even in a backup.

/// Readable while the device is unlocked; the default.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
/// Readable from the first unlock after a start until the device is switched off.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
/// Readable at any time, locked or not.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlways: CFString = "dk"
/// Readable while unlocked; exists only while the device has a passcode.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
/// Readable while the device is unlocked, on this device only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
/// Readable from the first unlock on, on this device only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
/// Readable at any time, on this device only.
@safe nonisolated(unsafe) public let kSecAttrAccessibleAlwaysThisDeviceOnly: CFString = "dku"
