import KeychainModel
import LinuxSystem

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

    /// Whether AppArmor confines programs of this machine.
    package static var isEnforced: Bool {
        let parameter = try? AtomicFile.read("/sys/module/apparmor/parameters/enabled", limit: 4096)
        return parameter?.first == UInt8(ascii: "Y")
    }
}
