import KeychainModel
package import KeychainPolicy

/// An application in a sandbox that knows its name.
package struct SandboxedApplication: Hashable, Sendable {
    package let sandbox: Provenance.Sandbox
    package let identifier: String

    package init(_ sandbox: Provenance.Sandbox, _ identifier: String) {
        (self.sandbox, self.identifier) = (sandbox, identifier)
    }

    package var group: String {
        switch sandbox {
        case .flatpak: AccessGroup.flatpakPrefix + identifier
        case .snap: AccessGroup.snapPrefix + identifier
        }
    }

    /// Letters, digits and what the names of applications have besides; so that nothing else gets into a group's name.
    static func isName(_ name: some StringProtocol) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || Array("-._".utf8).contains(byte)
            }
    }
}

/// A Snap, known by its AppArmor label: `snap.NAME.APPLICATION (enforce)`. The names of its control groups do not
/// count, because users choose the names of groups in their own slices.
package enum SnapLabel {
    /// The application; nil when the label is no Snap's or is not enforced.
    package static func application(_ label: String) -> SandboxedApplication? {
        let words = label.split(separator: " ")
        guard words.count == 2, words[1] == "(enforce)" else { return nil }
        let parts = words[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "snap", SandboxedApplication.isName(parts[1]) else { return nil }
        return SandboxedApplication(.snap, String(parts[1]))
    }
}
