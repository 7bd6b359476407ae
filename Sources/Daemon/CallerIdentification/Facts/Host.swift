import Glibc
import LinuxSystem
import Sandboxes

/// The facts of this machine that identities can rest on.
package struct Host: Sendable {
    /// The mount namespaces in which names of files mean what they mean to everybody: this process's own, and that of
    /// the first process where this one may look.
    package var commonMounts: [String]
    /// Whether AppArmor confines programs.
    package var hasAppArmor: Bool
    /// Whether systemd is the service manager.
    package var hasSystemd: Bool
    /// Where users have their runtime folders.
    package var runtimeFolders: String
    /// Where the hierarchies of control groups are mounted.
    package var controlGroups: String

    package init(
        commonMounts: [String], hasAppArmor: Bool = false, hasSystemd: Bool = false,
        runtimeFolders: String = "/run/user", controlGroups: String = "/sys/fs/cgroup"
    ) {
        (self.commonMounts, self.hasAppArmor, self.hasSystemd) = (commonMounts, hasAppArmor, hasSystemd)
        (self.runtimeFolders, self.controlGroups) = (runtimeFolders, controlGroups)
    }

    /// Looks at the machine.
    package static func current() -> Host {
        let namespaces = [CurrentProcess.identifier, 1].map { try? ProcessView($0).mountNamespace() }
        return Host(
            commonMounts: namespaces.compactMap(\.self), hasAppArmor: SnapLabel.isEnforced,
            hasSystemd: (try? FileStatus(ofLink: "/run/systemd/system"))?.isDirectory ?? false)
    }

    /// A process that sees what a process sees which shares names: this one, or the machine's first, for this one may
    /// hide folders from itself. Never the other process: it chooses the top of its own view (chroot).
    func onlooker(for process: ProcessView) -> ProcessView {
        let own = ProcessView(CurrentProcess.identifier)
        guard let mounts = try? process.mountNamespace(), mounts != (try? own.mountNamespace()) else { return own }
        return ProcessView(1)
    }

    /// Whether a process sees files by the names that everybody sees them by.
    func sharesNames(with process: ProcessView) throws(SystemError) -> Bool {
        commonMounts.contains(try process.mountNamespace())
    }
}
