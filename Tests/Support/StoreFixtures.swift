import Glibc
import LinuxSystem

/// Stores that earlier releases have written, each with its vault: generic passwords and one or two items of every
/// other class in the groups `test` and `other`. The passcode, where there is one, is `right`. The keychain of
/// `version7` belongs to a circle, which has the item `synchronised`; its group is `TEST.program`.
package enum StoreFixtures {
    /// Unpacks one, such as `version5`, into a folder that is there.
    package static func unpack(_ name: String, into folder: String) throws {
        let fixtures = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Fixtures/Stores"
        let tar = try RunningProgram("/bin/tar", ["-xJf", "\(fixtures)/\(name).tar.xz", "-C", folder])
        guard tar.waitForExit() == 0 else { throw SystemError(code: EINVAL, call: "tar", advice: name) }
    }
}
