import Glibc
import LinuxSystem

/// Vaults that earlier releases have written; the passcode, where there is one, is `right`.
package enum VaultFixtures {
    /// The bytes of a file, such as `v1-open.vault`.
    package static func bytes(_ name: String) throws -> [UInt8] {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        return try AtomicFile.read("/\(folder)/Fixtures/Vaults/\(name)", limit: 1 << 16)
    }
}
