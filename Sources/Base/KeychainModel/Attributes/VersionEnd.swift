/// How a version of an item came to its end.
package enum VersionEnd: UInt8, Sendable {
    case changed = 1
    case deleted = 2
}

extension Accessibility {
    /// Whether earlier versions of an item of this class are kept. What is to be on this device alone, or to go with
    /// its passcode, is gone when it is deleted.
    package var keepsHistory: Bool { !isThisDeviceOnly }
}
