import LinuxSystem

/// Which unit of systemd a process belongs to, by the control group it is in: the kernel's word about what the service
/// manager has done, as long as only root could have made that group.
package enum SystemUnit {
    /// Slices below which users, containers and virtual machines have groups of their own.
    private static let foreignSlices: Set<String> = ["user.slice", "machine.slice"]
    private static let suffix = ".service"
    /// Units that start other people's programs, by their names up to `@`. The user that a unit runs as tells such
    /// programs apart (``UnitUser``) as long as the unit's own processes live. No program of these units is ever taken
    /// for the unit.
    private static let startersOfOthers: Set<String> = [
        "anacron", "atd", "cron", "crond", "cronie", "fcron",
        "dropbear", "ssh", "sshd", "telnet", "inetd", "xinetd",
        "autovt", "console-getty", "container-getty", "getty", "serial-getty", "debug-shell", "emergency", "rescue",
        "display-manager", "gdm", "gdm3", "greetd", "lightdm", "lxdm", "ly", "plasmalogin", "sddm", "slim", "wdm",
        "xdm",
        "dovecot", "exim", "exim4", "opensmtpd", "postfix", "sendmail", "smtpd",
    ]
    private static let longest = 255

    /// The unit that a process is of, whose user it runs as; nil when it is of none. Reads no file that a user can have
    /// made.
    static func name(of process: Int32, as user: UInt32, on host: Host) -> String? {
        guard host.hasSystemd, let groups = try? ProcessView(process).controlGroups(), let group = group(in: groups),
            !group.startsOthers, UnitUser.owns(process, as: user, in: group, below: host.controlGroups)
        else { return nil }
        return group.unit
    }

    /// Where the processes of a unit are.
    package struct Group: Equatable, Sendable {
        package let unit: String
        /// Whether systemd has a hierarchy of its own.
        package let isNamed: Bool
        /// The unit's own folder in the hierarchy, without what the unit makes below itself.
        package let path: String

        /// Whether the unit is there to start other people's programs.
        package var startsOthers: Bool {
            SystemUnit.startersOfOthers.contains(String(unit.dropLast(SystemUnit.suffix.count).prefix { $0 != "@" }))
        }
    }

    /// The control group of the unit; nil when it is none of the system's services.
    ///
    /// - Parameter controlGroups: the content of `/proc/PID/cgroup`.
    package static func group(in controlGroups: String) -> Group? {
        guard let (path, isNamed) = path(in: controlGroups) else { return nil }
        return group(ofPath: path, isNamed: isNamed)
    }

    /// The group's path in the hierarchy that systemd manages: its own named one, where there is one, else the unified
    /// one.
    private static func path(in controlGroups: String) -> (Substring, isNamed: Bool)? {
        var unified: Substring?
        for line in controlGroups.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1] == "name=systemd" { return (fields[2], true) }
            if fields[0] == "0", fields[1].isEmpty { unified = fields[2] }
        }
        return unified.map { ($0, false) }
    }

    /// Slices lie in slices, and the first that is no slice is the unit; what a unit makes below itself is its own.
    private static func group(ofPath path: Substring, isNamed: Bool) -> Group? {
        guard path.hasPrefix("/") else { return nil }
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let names = parts.map(unescape)
        guard !names.contains(".."), let index = names.firstIndex(where: { !$0.hasSuffix(".slice") }) else {
            return nil
        }
        guard !names[..<index].contains(where: { foreignSlices.contains(String($0)) }), isService(names[index]) else {
            return nil
        }
        let folder = parts[...index].map { "/" + $0 }.joined()
        return Group(unit: String(names[index]), isNamed: isNamed, path: folder)
    }

    /// systemd puts a `_` before names that would mean something else to the kernel.
    private static func unescape(_ part: Substring) -> Substring { part.hasPrefix("_") ? part.dropFirst() : part }

    private static func isService(_ name: Substring) -> Bool {
        name.hasSuffix(suffix) && name.utf8.count > suffix.utf8.count && name.utf8.count <= longest
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || Array(":-_.\\@".utf8).contains(byte)
            }
    }
}
