/// Groups with a meaning of their own.
package enum AccessGroup {
    /// Every group: given to no program from outside.
    package static let any = "*"
    /// Items that tokens offer; programs can read them but not put anything there.
    package static let token = "com.apple.token"
    /// What the group of an unsigned program begins with; its path follows.
    package static let unsignedPrefix = "program:"
    /// What the group of a systemd unit begins with; its name follows.
    package static let unitPrefix = "unit:"
    /// What the group of a Flatpak application begins with; its id follows.
    package static let flatpakPrefix = "flatpak:"
    /// What the group of a Snap application begins with; its name follows.
    package static let snapPrefix = "snap:"

    /// The beginning of the group of a name that programs claim for themselves; the name follows.
    package static let claimedPrefix = "claimed:"

    /// The group as a person is shown it: that of an unsigned program is marked.
    package static func title(_ group: String) -> String { isOfUnsigned(group) ? "\(group) (unsigned)" : group }

    /// Whether nobody vouches for the programs of a group: it is made from a path, or from what they claim.
    package static func isOfUnsigned(_ group: String) -> Bool { group.hasPrefix(unsignedPrefix) || isClaimed(group) }

    /// Whether a group is one that programs claim. No rule may rest on it: any program of the user's can claim any
    /// name.
    package static func isClaimed(_ group: String) -> Bool { group.utf8.starts(with: claimedPrefix.utf8) }

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
