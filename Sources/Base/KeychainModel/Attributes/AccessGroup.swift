/// Groups with a special meaning.
package enum AccessGroup {
    /// Every group. No program outside of the keychain gets it.
    package static let any = "*"
    /// The group of items that tokens offer. Programs can read them but cannot add any.
    package static let token = "com.apple.token"
    /// The group of the bridge to the desktop (`keychain-secrets`), wherever it is installed.
    package static let secretService = "secret-service"
    /// The file name of that program.
    package static let bridgeName = "keychain-secrets"
    /// The prefix of the group of an unsigned program; its path follows.
    package static let unsignedPrefix = "program:"
    /// The prefix of the group of a systemd unit; its name follows.
    package static let unitPrefix = "unit:"
    /// The prefix of the group of a Flatpak application; its id follows.
    package static let flatpakPrefix = "flatpak:"
    /// The prefix of the group of a Snap application; its name follows.
    package static let snapPrefix = "snap:"

    /// The prefix of a claimed group, whose name a program chooses itself; the name follows.
    package static let claimedPrefix = "claimed:"

    /// The group as shown to people: the group of an unsigned program is marked.
    package static func title(_ group: String) -> String { isOfUnsigned(group) ? "\(group) (unsigned)" : group }

    /// Whether nothing proves which programs belong to the group: it is made from a path, or from a claim.
    package static func isOfUnsigned(_ group: String) -> Bool { group.hasPrefix(unsignedPrefix) || isClaimed(group) }

    /// Whether the group is a claimed one. No rule may depend on it, because any program of the user can claim any
    /// name.
    package static func isClaimed(_ group: String) -> Bool { group.utf8.starts(with: claimedPrefix.utf8) }

    /// Whether the group is one that a bridge to the desktop had of its path.
    package static func isOfBridgesPath(_ group: String) -> Bool {
        group.utf8.starts(with: "\(unsignedPrefix)/".utf8) && group.utf8.reversed().starts(with: bridgeEnd)
    }

    private static let bridgeEnd = "/\(bridgeName)".utf8.reversed()

    /// Whether programs can claim a name: 1 to 64 letters, digits, dots and hyphens of ASCII, with a letter or a digit
    /// at both ends.
    package static func isClaimName(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard let first = name.first, let last = name.last, name.count <= longestClaim else { return false }
        return isAlphanumeric(first) && isAlphanumeric(last)
            && name.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    package static let longestClaim = 64

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
