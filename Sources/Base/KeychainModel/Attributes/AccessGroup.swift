/// Groups with a special meaning.
package enum AccessGroup {
    /// Every group. No program outside of the keychain gets it.
    package static let any = "*"
    /// The group of items that tokens offer. Programs can read them but cannot add any.
    package static let token = "com.apple.token"
    /// The group of the bridge to the desktop (`keychain-secrets`), wherever it is installed.
    package static let secretService = "secret-service"
    /// The prefix of the groups of what applications in sandboxes have stored through the bridge; the group of the
    /// application follows.
    package static let sandboxedSecretsPrefix = "\(secretService):"
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

    /// Whether programs of other machines can belong to the group, too.
    package static func isKnownElsewhere(_ group: String) -> Bool {
        let isOfNobody = group.isEmpty || group == any || group == token
        return !isOfNobody && !group.utf8.starts(with: unitPrefix.utf8)
    }

    /// The group as shown to people: the group of an unsigned program is marked.
    package static func title(_ group: String) -> String { isOfUnsigned(group) ? "\(group) (unsigned)" : group }

    /// Whether nothing proves which programs belong to the group: it is made from a path, or from a claim.
    package static func isOfUnsigned(_ group: String) -> Bool { group.hasPrefix(unsignedPrefix) || isClaimed(group) }

    /// Whether the group is a claimed one. No rule may depend on it, because any program of the user can claim any
    /// name.
    package static func isClaimed(_ group: String) -> Bool { group.utf8.starts(with: claimedPrefix.utf8) }

    /// The group of what an application in a sandbox has stored through the bridge.
    package static func ofSandboxedSecrets(_ sandbox: SandboxKind, _ application: String) -> String {
        "\(sandboxedSecretsPrefix)\(sandbox.rawValue):\(application)"
    }

    /// Whether the group is that of what one application in a sandbox has stored through the bridge. A
    /// program with ``secretService`` may name it, and no other. No request reaches it that does not name it.
    package static func isOfSandboxedSecrets(_ group: String) -> Bool {
        guard hasSandboxedSecretsPrefix(group) else { return false }
        return SandboxKind.allCases.contains { sandbox in
            let prefix = Array(ofSandboxedSecrets(sandbox, "").utf8)
            return group.utf8.starts(with: prefix) && isApplicationName(group.utf8.dropFirst(prefix.count))
        }
    }

    /// Whether the group's name begins as those of applications in sandboxes do, whatever follows.
    package static func hasSandboxedSecretsPrefix(_ group: String) -> Bool {
        group.utf8.starts(with: sandboxedSecretsPrefix.utf8)
    }

    /// Whether an application in a sandbox can have a name: 1 to 255 letters, digits, dots, hyphens and underscores of
    /// ASCII, so that nothing else gets into a group's name.
    package static func isApplicationName(_ name: some Collection<UInt8>) -> Bool {
        (1...longestApplication).contains(name.count)
            && name.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
    }

    private static let longestApplication = 255

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
