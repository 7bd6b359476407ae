/// How a version of an item ended.
package enum VersionEnd: UInt8, Sendable {
    case changed = 1
    case deleted = 2
}

extension Accessibility {
    /// Whether earlier versions of an item of this class are kept. Items that are bound to this device or its passcode
    /// are gone when they are deleted.
    package var keepsHistory: Bool { !isThisDeviceOnly }
}
