package import KeychainClient
package import KeychainModel
package import LinuxSystem

/// The keychain from before the system service, as commands see it.
package protocol OlderKeychain: Sendable {
    var folder: String { get }
    /// Whether there is one, with items in it or not.
    var isMade: Bool { get }
    /// Whether there is one whose items were not all taken away.
    var isThere: Bool { get }
    func reach() throws(Refusal) -> any KeychainConnection
    func note(isEmptied: Bool) throws(SystemError)
}
