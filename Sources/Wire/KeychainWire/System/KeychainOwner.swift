/// Whose a keychain of the system service is.
package enum KeychainOwner: Hashable, Sendable, CustomStringConvertible {
    /// The user's with this number.
    case user(UInt32)
    /// The system's: for root and for system units.
    case system

    /// The folder of the system service's stores, one folder for each by its owner's name, where the service is told no
    /// other.
    package static let stores = "/var/lib/keychain"

    /// A number that is no user's: it stands for the system in messages.
    private static let systemNumber = UInt32.max

    /// Reads a name; nil when it is none.
    package init?(_ name: String) {
        if name == "system" {
            self = .system
        } else if let user = UInt32(name), user != Self.systemNumber, String(user) == name {
            self = .user(user)
        } else {
            return nil
        }
    }

    /// Whose it is, by the number that messages have for it.
    package init(number: UInt32) { self = number == Self.systemNumber ? .system : .user(number) }

    /// The number that messages have for it.
    package var number: UInt32 {
        switch self {
        case .user(let user): user
        case .system: Self.systemNumber
        }
    }

    /// The user's number; nil for the system.
    package var user: UInt32? {
        if case .user(let user) = self { return user }
        return nil
    }

    /// Its name, which is also that of its folder: the user's number, or `system`.
    package var description: String {
        switch self {
        case .user(let user): String(user)
        case .system: "system"
        }
    }
}
