import CLinux
import Glibc

/// The kernel's information about a process (proc(5)), read on each call.
///
/// A number identifies a process only while that process lives. The caller must check afterwards that it still did
/// (``PeerCredentials/isAlive``).
package struct ProcessView: Sendable {
    package let identifier: Int32

    package init(_ identifier: Int32) { self.identifier = identifier }

    /// The executed program, read without opening it: its name in the process's own view of the file system, and the
    /// file itself.
    ///
    /// - Parameter asKnown: whether the kernel's cached metadata suffice, so that this call does not wait for the file
    ///   system.
    /// - Throws: `SystemError` of `readlink` or `statx`: `EACCES` when this process lacks the permission, `ENOENT` when
    ///   there is no program.
    package func executable(asKnown: Bool = false) throws(SystemError) -> (path: String, version: FileVersion) {
        let name = try SymbolicLink.readProcessLink("exe", of: identifier)
        let version = try FileVersion(executedBy: identifier, asKnown: asKnown)
        return (Self.path(name, isDeleted: version.status.links == 0), version)
    }

    /// A file's name without the kernel's suffix for a file that has been deleted or replaced while it runs.
    static func path(_ name: String, isDeleted: Bool) -> String {
        let deleted = " (deleted)"
        return isDeleted && name.hasSuffix(deleted) ? String(name.dropLast(deleted.count)) : name
    }

    /// The executed file, open for reading.
    ///
    /// - Throws: `SystemError` of `open`, as ``executable()``.
    package func openExecutable() throws(SystemError) -> FileDescriptor {
        try FileDescriptor.open("/proc/\(identifier)/exe", O_RDONLY)
    }

    /// The process's command line. The process itself can change it.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EFBIG` when there are more than 64 KiB.
    package func commandLine() throws(SystemError) -> [String] {
        let bytes = try ProcessDirectory.read("/proc/\(identifier)/cmdline", limit: 64 << 10)
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// The variables of these names in the environment that the process was started with.
    ///
    /// - Throws: `SystemError` of `open` or `read`: `EACCES` when this process lacks the permission, `EFBIG` when there
    ///   are more than 1 MiB.
    package func environment(_ names: [String]) throws(SystemError) -> [String: String] {
        var found: [String: String] = [:]
        for entry in try ProcessDirectory.read("/proc/\(identifier)/environ", limit: 1 << 20).split(separator: 0) {
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = names.first(where: { parts[0].elementsEqual($0.utf8) }) else { continue }
            found[name] = found[name] ?? String(decoding: parts[1], as: UTF8.self)
        }
        return found
    }

    /// The file at a path relative to the process's working directory; nil when there is none.
    ///
    /// - Throws: `SystemError` of `stat`.
    package func file(atRelativePath path: String) throws(SystemError) -> FileStatus? {
        try FileStatus(at: path.hasPrefix("/") ? path : "/proc/\(identifier)/cwd/\(path)")
    }

    /// The control groups of the process, one hierarchy a line (cgroups(7)).
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package func controlGroups() throws(SystemError) -> String {
        String(decoding: try ProcessDirectory.read("/proc/\(identifier)/cgroup", limit: 16 << 10), as: UTF8.self)
    }

    /// Its confinement by AppArmor, as `label (mode)`.
    ///
    /// - Throws: `SystemError` of `open` or `read`, also where there is no AppArmor.
    package func appArmorLabel() throws(SystemError) -> String {
        let bytes = try ProcessDirectory.read("/proc/\(identifier)/attr/apparmor/current", limit: 4096)
        return String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The real group of the process; a set-group-ID program changes only its effective group.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` when the file is not as expected.
    package func realGroup() throws(SystemError) -> UInt32 {
        guard let group = try numbers(in: status(), after: "Gid:").first else { throw Self.unexpected }
        return group
    }

    /// The parent process, or the one that adopted it, and its users: real, effective, saved, of the file system.
    ///
    /// - Throws: as ``realGroup()``.
    package func kinship() throws(SystemError) -> (parent: Int32, users: [UInt32]) {
        let status = try status()
        guard let parent = numbers(in: status, after: "PPid:").first.flatMap({ Int32(exactly: $0) }) else {
            throw Self.unexpected
        }
        let users = numbers(in: status, after: "Uid:")
        guard users.count == 4 else { throw Self.unexpected }
        return (parent, users)
    }

    /// The user whose login the process belongs to; only a privileged process can change it. `UInt32.max` without a
    /// login, nil where this kernel does not record it.
    ///
    /// - Throws: as ``realGroup()``.
    package func loginUser() throws(SystemError) -> UInt32? {
        do throws(SystemError) {
            let text = String(
                decoding: try ProcessDirectory.read("/proc/\(identifier)/loginuid", limit: 64), as: UTF8.self)
            guard let user = UInt32(text) else { throw Self.unexpected }
            return user
        } catch  where error.code == ENOENT {
            // The file is missing, or the process.
            _ = try status()
            return nil
        }
    }

    private static let unexpected = SystemError(code: EINVAL, call: "proc_pid_status")

    private func status() throws(SystemError) -> String {
        String(decoding: try ProcessDirectory.read("/proc/\(identifier)/status", limit: 16 << 10), as: UTF8.self)
    }

    private func numbers(in status: String, after name: String) -> [UInt32] {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return [] }
        return line.dropFirst(name.count).split(separator: "\t").compactMap { UInt32($0) }
    }

    /// The kernel's name of its mount namespace. Two processes with the same one see the same files under the same
    /// names.
    ///
    /// - Throws: `SystemError` of `readlink`: `EACCES` when this process lacks the permission.
    package func mountNamespace() throws(SystemError) -> String {
        // Reading the link costs half as much as a stat of the namespace.
        try SymbolicLink.readProcessLink("ns/mnt", of: identifier)
    }

    /// Whether the root of its view of the file system is this process's root, or the root of its mounts: not a folder
    /// below it, as after chroot(2).
    ///
    /// - Throws: `SystemError` of `readlink`.
    package func hasWholeRoot() throws(SystemError) -> Bool {
        try SymbolicLink.readProcessLink("root", of: identifier) == "/"
    }

    /// A folder at an absolute path in the process's view: its path without symbolic links, and its status.
    ///
    /// - Throws: `SystemError` of `openat2`, `fstat` or `readlink`.
    package func folder(at path: String) throws(SystemError) -> (path: String, status: FileStatus) {
        let number = try retrying("openat2") { unsafe clinux_find_folder("/proc/\(identifier)/root", path) }
        let folder = FileDescriptor(owning: number)
        return (try SymbolicLink.read("/proc/self/fd/\(folder.number)"), try FileStatus(of: folder))
    }

    /// Opens a regular file at the root of its view of the file system; nil when there is none of that name.
    ///
    /// - Throws: `SystemError` of `open` or `openat2`; `ELOOP` when the name is a symbolic link, `EINVAL` when it is
    ///   not a regular file.
    package func openAtRoot(_ name: String) throws(SystemError) -> FileDescriptor? {
        // The usual case is that there is none, and it costs only this call.
        guard try FileStatus(ofLink: "/proc/\(identifier)/root/\(name)") != nil else { return nil }
        let number = try retrying("openat2") { unsafe clinux_open_beneath("/proc/\(identifier)/root", name) }
        let file = FileDescriptor(owning: number)
        guard try FileStatus(of: file).isRegularFile else { throw SystemError(code: EINVAL, call: "openat2") }
        return file
    }

    /// As ``openAtRoot(_:)``, for a thread that nobody may hold up: root and file must lie in file systems that the
    /// kernel itself serves. The process may have mounted others, whose servers it can be itself.
    ///
    /// - Throws: `SystemError` of `open` or `statx`; `EPERM` for another file system, `EINVAL` when it is not a regular
    ///   file.
    package func openAtKernelsRoot(_ name: String) throws(SystemError) -> FileDescriptor? {
        // A name is looked up in what is held: the process may have another root by now.
        let root = try Self.hold("/proc/\(identifier)/root/")
        try checkIsKernels(root)
        let file: FileDescriptor
        do throws(SystemError) {
            file = try Self.hold("/proc/self/fd/\(root.number)/\(name)")
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
        guard try checkIsKernels(file).isRegularFile else { throw SystemError(code: EINVAL, call: "open") }
        return try FileDescriptor.open("/proc/self/fd/\(file.number)", O_RDONLY | O_NONBLOCK)
    }

    /// Opens a name without using the file.
    private static func hold(_ path: String) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("open") { unsafe clinux_open_place(path) })
    }

    @discardableResult
    private func checkIsKernels(_ file: FileDescriptor) throws(SystemError) -> FileStatus {
        let status = try FileVersion.knownStatus(of: file)
        guard let kind = MountTable.kind(of: status.device, seenBy: identifier), Self.kernels.contains(kind) else {
            throw SystemError(code: EPERM, call: "open", advice: "its file system may be a process's")
        }
        return status
    }

    /// File systems that wait for no process and for no other machine.
    private static let kernels: Set<String> = ["tmpfs", "ramfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"]
}
